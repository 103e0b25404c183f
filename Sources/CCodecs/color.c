#include "ccodecs_color.h"

#include <stdlib.h>
#include <string.h>

#include <lcms2.h>
#include <lcms2_plugin.h>

// lcms2 reports errors by NULL and prints nothing unless a handler is set, so no longjmp must be caught here.

// The maximum size of an allocation: a profile may claim tables of any size, but real ones need only a few megabytes.
enum { MAX_BLOCK_BYTES = 32 * 1024 * 1024 };

struct ccodecs_color {
    cmsContext context;
    cmsHTRANSFORM transform;
};

static void *allocate(cmsContext context, cmsUInt32Number count) {
    (void)context;
    return count == 0 || count > MAX_BLOCK_BYTES ? NULL : malloc(count);
}

static void *reallocate(cmsContext context, void *memory, cmsUInt32Number count) {
    (void)context;
    return count > MAX_BLOCK_BYTES ? NULL : realloc(memory, count);
}

static void release(cmsContext context, void *memory) {
    (void)context;
    free(memory);
}

static cmsContext make_context(void) {
    cmsPluginMemHandler plugin = {
        .base = {.Magic = cmsPluginMagicNumber, .ExpectedVersion = 2000, .Type = cmsPluginMemHandlerSig},
        .MallocPtr = allocate,
        .FreePtr = release,
        .ReallocPtr = reallocate,
    };
    return cmsCreateContext(&plugin, NULL);
}

static cmsUInt32Number format_of(cmsHPROFILE profile, ccodecs_color_model *model) {
    switch (cmsGetColorSpace(profile)) {
    case cmsSigGrayData:
        *model = CCODECS_GREY;
        return TYPE_GRAY_8;
    case cmsSigRgbData:
        *model = CCODECS_RGB;
        return TYPE_RGB_8;
    case cmsSigCmykData:
        *model = CCODECS_CMYK;
        return TYPE_CMYK_8_REV;
    default:
        return 0;
    }
}

static ccodecs_code open_profile(ccodecs_color *color, cmsHPROFILE profile, ccodecs_color_model *model) {
    cmsHPROFILE target = profile == NULL ? NULL : cmsCreate_sRGBProfileTHR(color->context);
    cmsUInt32Number format = profile == NULL ? 0 : format_of(profile, model);
    if (target != NULL && format != 0) {
        // Without its cache of one pixel a transform is never written to, so any number of threads may use it.
        color->transform = cmsCreateTransformTHR(color->context, profile, format, target, TYPE_RGB_8,
                                                 INTENT_PERCEPTUAL,
                                                 cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION);
    }
    if (target != NULL) cmsCloseProfile(target);
    if (profile != NULL) cmsCloseProfile(profile);
    return color->transform == NULL ? CCODECS_CORRUPT : CCODECS_OK;
}

static ccodecs_color *make_color(void) {
    ccodecs_color *color = calloc(1, sizeof *color);
    if (color != NULL) color->context = make_context();
    return color;
}

ccodecs_code ccodecs_color_open(const uint8_t *bytes, size_t count, ccodecs_color **result,
                                ccodecs_color_model *model) {
    ccodecs_color *color = *result = make_color();  // the caller closes it, whatever the result is
    if (color == NULL || color->context == NULL) return CCODECS_OUT_OF_MEMORY;
    if (count > UINT32_MAX) return CCODECS_CORRUPT;
    return open_profile(color, cmsOpenProfileFromMemTHR(color->context, bytes, (cmsUInt32Number)count), model);
}

static cmsToneCurve *make_curve(cmsContext context, double exponent) {
    if (exponent > 0) return cmsBuildGamma(context, exponent);
    const double srgb[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};  // IEC 61966-2-1
    return cmsBuildParametricToneCurve(context, 4, srgb);
}

ccodecs_code ccodecs_color_open_primaries(ccodecs_primaries primaries, double exponent, ccodecs_color **result,
                                          ccodecs_color_model *model) {
    ccodecs_color *color = *result = make_color();  // the caller closes it, whatever the result is
    if (color == NULL || color->context == NULL) return CCODECS_OUT_OF_MEMORY;
    cmsToneCurve *curve = make_curve(color->context, exponent);
    if (curve == NULL) return CCODECS_CORRUPT;
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsCIExyY white = {primaries.white[0], primaries.white[1], 1};
    cmsCIExyYTRIPLE colors = {
        {primaries.red[0], primaries.red[1], 1},
        {primaries.green[0], primaries.green[1], 1},
        {primaries.blue[0], primaries.blue[1], 1},
    };
    ccodecs_code code = open_profile(color, cmsCreateRGBProfileTHR(color->context, &white, &colors, curves), model);
    cmsFreeToneCurve(curve);
    return code;
}

void ccodecs_color_convert(const ccodecs_color *color, const uint8_t *samples, uint8_t *rgb, size_t pixel_count) {
    cmsDoTransform(color->transform, samples, rgb, (cmsUInt32Number)pixel_count);
}

void ccodecs_color_close(ccodecs_color *color) {
    if (color == NULL) return;
    if (color->transform != NULL) cmsDeleteTransform(color->transform);
    if (color->context != NULL) cmsDeleteContext(color->context);
    free(color);
}

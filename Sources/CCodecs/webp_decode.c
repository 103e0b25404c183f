#ifdef CCODECS_WEBP

#include "ccodecs_webp.h"

#include <stdio.h>

#include <webp/decode.h>

static ccodecs_code fail(VP8StatusCode status, ccodecs_fault *fault) {
    static const char *const texts[] = {
        "",           "out of memory", "invalid parameter", "broken bit stream", "unsupported feature",
        "suspended", "aborted",       "not enough data",
    };
    size_t index = (size_t)status < sizeof texts / sizeof *texts ? (size_t)status : 0;
    snprintf(fault->message, sizeof fault->message, "%s", texts[index]);
    switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
        return CCODECS_OUT_OF_MEMORY;
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return CCODECS_UNSUPPORTED;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return CCODECS_TRUNCATED;
    default:
        return CCODECS_CORRUPT;
    }
}

static void set_planes(WebPDecBuffer *output, ccodecs_layout layout, uint8_t *samples) {
    size_t luma = (size_t)layout.width * layout.height;
    size_t width = (layout.width + 1) / 2, chroma = width * ((layout.height + 1) / 2);
    output->colorspace = MODE_YUV;
    output->u.YUVA.y = samples;
    output->u.YUVA.u = samples + luma;
    output->u.YUVA.v = samples + luma + chroma;
    output->u.YUVA.y_stride = (int)layout.width;
    output->u.YUVA.u_stride = output->u.YUVA.v_stride = (int)width;
    output->u.YUVA.y_size = luma;
    output->u.YUVA.u_size = output->u.YUVA.v_size = chroma;
}

static void set_pixels(WebPDecBuffer *output, ccodecs_layout layout, uint8_t *samples) {
    output->colorspace = layout.channels == 3 ? MODE_RGB : MODE_rgbA;
    output->u.RGBA.rgba = samples;
    output->u.RGBA.stride = (int)(layout.width * layout.channels);
    output->u.RGBA.size = (size_t)layout.width * layout.channels * layout.height;
}

ccodecs_code ccodecs_webp_decode(const uint8_t *bytes, size_t count, ccodecs_layout stored, ccodecs_layout layout,
                                 uint8_t *samples, ccodecs_fault *fault) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return CCODECS_UNSUPPORTED;
    VP8StatusCode status = WebPGetFeatures(bytes, count, &config.input);
    if (status != VP8_STATUS_OK) return fail(status, fault);
    if (config.input.width != (int)stored.width || config.input.height != (int)stored.height) {
        snprintf(fault->message, sizeof fault->message, "two sizes");
        return CCODECS_CORRUPT;
    }
    config.options.use_scaling = layout.width != stored.width || layout.height != stored.height;
    config.options.scaled_width = (int)layout.width;
    config.options.scaled_height = (int)layout.height;
    config.output.is_external_memory = 1;
    if (layout.channels == 1) {
        set_planes(&config.output, layout, samples);
    } else {
        set_pixels(&config.output, layout, samples);
    }
    status = WebPDecode(bytes, count, &config);
    WebPFreeDecBuffer(&config.output);
    return status == VP8_STATUS_OK ? CCODECS_OK : fail(status, fault);
}

#endif

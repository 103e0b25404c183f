#ifdef CCODECS_WEBP

#include "ccodecs_webp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

static ccodecs_code fail(WebPEncodingError error, ccodecs_fault *fault) {
    snprintf(fault->message, sizeof fault->message, "WebP encoder error %d", (int)error);
    switch (error) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
        return CCODECS_OUT_OF_MEMORY;
    default:
        return CCODECS_UNSUPPORTED;
    }
}

static bool configure(WebPConfig *config, WebPPicture *picture, uint32_t width, uint32_t height, int quality) {
    if (!WebPConfigInit(config) || !WebPPictureInit(picture)) return false;
    config->quality = (float)quality;
    picture->width = (int)width;
    picture->height = (int)height;
    return true;
}

// Encodes and frees `picture`. libwebp allocates its output with malloc, so that ccodecs_free may free it.
static ccodecs_code encode(WebPConfig *config, WebPPicture *picture, uint8_t **encoded, size_t *encoded_count,
                           ccodecs_fault *fault) {
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture->writer = WebPMemoryWrite;
    picture->custom_ptr = &writer;
    ccodecs_code code = WebPEncode(config, picture) ? CCODECS_OK : fail(picture->error_code, fault);
    WebPPictureFree(picture);
    if (code == CCODECS_OK) {
        *encoded = writer.mem;
        *encoded_count = writer.size;
    } else {
        WebPMemoryWriterClear(&writer);
    }
    return code;
}

static bool import(WebPPicture *picture, const uint8_t *pixels, ccodecs_layout layout) {
    int stride = (int)(layout.width * layout.channels);
    return layout.channels == 4 ? WebPPictureImportRGBA(picture, pixels, stride)
                                : WebPPictureImportRGB(picture, pixels, stride);
}

ccodecs_code ccodecs_webp_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, uint8_t **encoded,
                                 size_t *encoded_count, ccodecs_fault *fault) {
    WebPConfig config;
    WebPPicture picture;
    if (!configure(&config, &picture, layout.width, layout.height, quality)) return CCODECS_UNSUPPORTED;
    if (!import(&picture, pixels, layout)) {
        WebPPictureFree(&picture);
        return fail(picture.error_code, fault);
    }
    return encode(&config, &picture, encoded, encoded_count, fault);
}

ccodecs_code ccodecs_webp_encode_planes(ccodecs_planes planes, int quality, uint8_t **encoded, size_t *encoded_count,
                                        ccodecs_fault *fault) {
    WebPConfig config;
    WebPPicture picture;
    if (planes.is_chroma_full) return CCODECS_UNSUPPORTED;
    if (!configure(&config, &picture, planes.width, planes.height, quality)) return CCODECS_UNSUPPORTED;
    // libwebp only reads the planes, and frees only its own.
    picture.y = (uint8_t *)planes.luma;
    picture.u = (uint8_t *)planes.blue;
    picture.v = (uint8_t *)planes.red;
    picture.y_stride = (int)planes.width;
    picture.uv_stride = (int)((planes.width + 1) / 2);
    return encode(&config, &picture, encoded, encoded_count, fault);
}

struct ccodecs_webp_animation {
    WebPAnimEncoder *encoder;
    ccodecs_layout layout;
    int quality;
    bool has_transparency;  // whether any of its images has some
};

static ccodecs_code fail_animation(const ccodecs_webp_animation *animation, ccodecs_fault *fault) {
    const char *text = WebPAnimEncoderGetError(animation->encoder);
    snprintf(fault->message, sizeof fault->message, "%s", text == NULL ? "unknown fault" : text);
    return CCODECS_UNSUPPORTED;
}

ccodecs_code ccodecs_webp_animation_open(ccodecs_layout layout, int quality, int loop_count,
                                         ccodecs_webp_animation **result) {
    ccodecs_webp_animation *animation = calloc(1, sizeof *animation);
    *result = animation;  // the caller closes it, whatever the result is
    if (animation == NULL) return CCODECS_OUT_OF_MEMORY;
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options)) return CCODECS_UNSUPPORTED;
    options.anim_params.loop_count = loop_count;
    options.anim_params.bgcolor = 0;
    animation->layout = layout;
    animation->quality = quality;
    animation->encoder = WebPAnimEncoderNew((int)layout.width, (int)layout.height, &options);
    return animation->encoder == NULL ? CCODECS_OUT_OF_MEMORY : CCODECS_OK;
}

ccodecs_code ccodecs_webp_animation_add(ccodecs_webp_animation *animation, const uint8_t *pixels, int milliseconds,
                                        ccodecs_fault *fault) {
    WebPConfig config;
    WebPPicture picture;
    ccodecs_layout layout = animation->layout;
    if (!configure(&config, &picture, layout.width, layout.height, animation->quality)) return CCODECS_UNSUPPORTED;
    picture.use_argb = 1;
    ccodecs_code code = import(&picture, pixels, layout) ? CCODECS_OK : fail(picture.error_code, fault);
    if (code == CCODECS_OK && WebPPictureHasTransparency(&picture)) animation->has_transparency = true;
    if (code == CCODECS_OK && !WebPAnimEncoderAdd(animation->encoder, &picture, milliseconds, &config)) {
        code = fail_animation(animation, fault);
    }
    WebPPictureFree(&picture);
    return code;
}

// Sets the alpha flag: libwebp sets it only if a frame has alpha, but parts that no frame covers are transparent, too.
static void announce_transparency(uint8_t *file, size_t count) {
    enum { flags_offset = 20, alpha_flag = 0x10 };
    if (count > flags_offset && memcmp(file + 12, "VP8X", 4) == 0) file[flags_offset] |= alpha_flag;
}

ccodecs_code ccodecs_webp_animation_finish(ccodecs_webp_animation *animation, int milliseconds, uint8_t **encoded,
                                           size_t *encoded_count, ccodecs_fault *fault) {
    WebPData data;
    WebPDataInit(&data);
    if (!WebPAnimEncoderAdd(animation->encoder, NULL, milliseconds, NULL) ||
        !WebPAnimEncoderAssemble(animation->encoder, &data)) {
        return fail_animation(animation, fault);
    }
    *encoded = (uint8_t *)data.bytes;
    *encoded_count = data.size;
    if (animation->has_transparency) announce_transparency(*encoded, *encoded_count);
    return CCODECS_OK;
}

void ccodecs_webp_animation_close(ccodecs_webp_animation *animation) {
    if (animation == NULL) return;
    if (animation->encoder != NULL) WebPAnimEncoderDelete(animation->encoder);
    free(animation);
}

#endif

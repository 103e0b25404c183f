#ifdef CCODECS_HEIF

#include "ccodecs_av1.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dav1d/dav1d.h>

// libdav1d reports errors by return values, so no longjmp must be caught here. It decodes on the calling thread.

struct ccodecs_av1_decoder {
    Dav1dContext *context;
    Dav1dPicture picture;
};

static ccodecs_code fail(int result, ccodecs_fault *fault) {
    snprintf(fault->message, sizeof fault->message, "%s",
             result == DAV1D_ERR(EAGAIN) ? "no picture" : "invalid AV1 data");
    if (result == DAV1D_ERR(ENOMEM) || result == DAV1D_ERR(ERANGE)) return CCODECS_TOO_MUCH_MEMORY;
    return result == DAV1D_ERR(ENOPROTOOPT) ? CCODECS_UNSUPPORTED : CCODECS_CORRUPT;
}

static int open(ccodecs_av1_decoder *decoder, size_t max_pixels) {
    Dav1dSettings settings;
    dav1d_default_settings(&settings);
    settings.n_threads = 1;
    settings.max_frame_delay = 1;
    settings.all_layers = 0;
    settings.frame_size_limit = max_pixels > UINT32_MAX ? UINT32_MAX : (unsigned)max_pixels;
    settings.logger.callback = NULL;
    return dav1d_open(&decoder->context, &settings);
}

// Keeps the last of the pictures that are ready: for an image in layers, that is the complete one.
static int take_pictures(ccodecs_av1_decoder *decoder) {
    for (;;) {
        Dav1dPicture next = {0};
        int result = dav1d_get_picture(decoder->context, &next);
        if (result < 0) return result == DAV1D_ERR(EAGAIN) ? 0 : result;
        if (decoder->picture.data[0] != NULL) dav1d_picture_unref(&decoder->picture);
        decoder->picture = next;
    }
}

static int decode(ccodecs_av1_decoder *decoder, Dav1dData *data) {
    while (data->sz > 0) {
        int result = dav1d_send_data(decoder->context, data);
        if (result < 0 && result != DAV1D_ERR(EAGAIN)) return result;
        result = take_pictures(decoder);
        if (result < 0) return result;
    }
    return decoder->picture.data[0] == NULL ? DAV1D_ERR(EAGAIN) : 0;
}

static void describe(const Dav1dPicture *source, ccodecs_coded_image *picture) {
    picture->plane_count = source->p.layout == DAV1D_PIXEL_LAYOUT_I400 ? 1 : 3;
    unsigned wide = source->p.layout == DAV1D_PIXEL_LAYOUT_I420 || source->p.layout == DAV1D_PIXEL_LAYOUT_I422;
    unsigned high = source->p.layout == DAV1D_PIXEL_LAYOUT_I420;
    for (uint32_t index = 0; index < picture->plane_count; index++) {
        ccodecs_coded_plane *plane = &picture->planes[index];
        plane->samples = source->data[index];
        plane->stride = (size_t)source->stride[index > 0];
        plane->width = ((uint32_t)source->p.w + (index > 0 ? wide : 0)) >> (index > 0 ? wide : 0);
        plane->height = ((uint32_t)source->p.h + (index > 0 ? high : 0)) >> (index > 0 ? high : 0);
        plane->bits = (uint32_t)source->p.bpc;
    }
    picture->color.primaries = (uint16_t)source->seq_hdr->pri;
    picture->color.transfer = (uint16_t)source->seq_hdr->trc;
    picture->color.matrix = (uint16_t)source->seq_hdr->mtrx;
    picture->color.is_full_range = source->seq_hdr->color_range != 0;
}

ccodecs_code ccodecs_av1_decode(const uint8_t *bytes, size_t count, size_t max_pixels, ccodecs_av1_decoder **result,
                                ccodecs_coded_image *picture, ccodecs_fault *fault) {
    ccodecs_av1_decoder *decoder = calloc(1, sizeof *decoder);
    *result = decoder;  // the caller closes it, whatever the result is
    if (decoder == NULL || open(decoder, max_pixels) != 0) return CCODECS_OUT_OF_MEMORY;
    Dav1dData data = {0};
    if (count == 0) return fail(DAV1D_ERR(EINVAL), fault);
    uint8_t *copy = dav1d_data_create(&data, count);
    if (copy == NULL) return CCODECS_OUT_OF_MEMORY;
    memcpy(copy, bytes, count);
    int code = decode(decoder, &data);
    if (data.sz > 0) dav1d_data_unref(&data);
    if (code < 0) return fail(code, fault);
    describe(&decoder->picture, picture);
    return CCODECS_OK;
}

void ccodecs_av1_close(ccodecs_av1_decoder *decoder) {
    if (decoder == NULL) return;
    if (decoder->picture.data[0] != NULL) dav1d_picture_unref(&decoder->picture);
    if (decoder->context != NULL) dav1d_close(&decoder->context);
    free(decoder);
}

#endif

#ifdef CCODECS_HEIF

#include "ccodecs_hevc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <libde265/de265.h>

// libde265 reports errors by return values, so no longjmp must be caught here. It decodes on the calling thread.

struct ccodecs_hevc_decoder {
    de265_decoder_context *context;
};

// Creates libde265's tables once, rather than for each tile.
static void make_tables(void) { de265_init(); }

static ccodecs_code fail(de265_error error, ccodecs_fault *fault) {
    snprintf(fault->message, sizeof fault->message, "%s", de265_get_error_text(error));
    switch (error) {
    case DE265_ERROR_OUT_OF_MEMORY:
    case DE265_ERROR_IMAGE_BUFFER_FULL:
        return CCODECS_TOO_MUCH_MEMORY;
    case DE265_ERROR_NOT_IMPLEMENTED_YET:
        return CCODECS_UNSUPPORTED;
    default:
        return CCODECS_CORRUPT;
    }
}

// Passes the units, each preceded by its length in four bytes, to the decoder.
static de265_error push(de265_decoder_context *context, const uint8_t *bytes, size_t count) {
    size_t offset = 0;
    while (count - offset > 4) {
        const uint8_t *head = bytes + offset;
        size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        offset += 4;
        if (length > count - offset || length > INT32_MAX) break;
        de265_error error = de265_push_NAL(context, bytes + offset, (int)length, 0, NULL);
        if (!de265_isOK(error)) return error;
        offset += length;
    }
    return de265_flush_data(context);
}

static void describe(const struct de265_image *image, ccodecs_coded_image *picture) {
    picture->plane_count = de265_get_chroma_format(image) == de265_chroma_mono ? 1 : 3;
    for (int index = 0; index < (int)picture->plane_count; index++) {
        int stride = 0;
        ccodecs_coded_plane *plane = &picture->planes[index];
        plane->samples = de265_get_image_plane(image, index, &stride);
        plane->stride = (size_t)stride;
        plane->width = (uint32_t)de265_get_image_width(image, index);
        plane->height = (uint32_t)de265_get_image_height(image, index);
        plane->bits = (uint32_t)de265_get_bits_per_pixel(image, index);
    }
    picture->color.primaries = (uint16_t)de265_get_image_colour_primaries(image);
    picture->color.transfer = (uint16_t)de265_get_image_transfer_characteristics(image);
    picture->color.matrix = (uint16_t)de265_get_image_matrix_coefficients(image);
    picture->color.is_full_range = de265_get_image_full_range_flag(image) != 0;
}

ccodecs_code ccodecs_hevc_decode(const uint8_t *bytes, size_t count, ccodecs_hevc_decoder **result,
                                 ccodecs_coded_image *picture, ccodecs_fault *fault) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tables);
    ccodecs_hevc_decoder *decoder = calloc(1, sizeof *decoder);
    *result = decoder;  // the caller closes it, whatever the result is
    if (decoder == NULL) return CCODECS_OUT_OF_MEMORY;
    decoder->context = de265_new_decoder();
    if (decoder->context == NULL) return CCODECS_OUT_OF_MEMORY;
    de265_error error = push(decoder->context, bytes, count);
    const struct de265_image *image = NULL;
    for (int more = 1; de265_isOK(error) && more && image == NULL;) {
        error = de265_decode(decoder->context, &more);
        if (de265_isOK(error)) image = de265_get_next_picture(decoder->context);
    }
    if (!de265_isOK(error)) return fail(error, fault);
    if (image == NULL) {
        snprintf(fault->message, sizeof fault->message, "no picture");
        return CCODECS_CORRUPT;
    }
    describe(image, picture);
    return CCODECS_OK;
}

void ccodecs_hevc_close(ccodecs_hevc_decoder *decoder) {
    if (decoder == NULL) return;
    if (decoder->context != NULL) de265_free_decoder(decoder->context);
    free(decoder);
}

#endif

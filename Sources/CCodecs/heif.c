#ifdef CCODECS_HEIF

#include "ccodecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

// libheif reports by values, so that there is no jump to catch here.

struct ccodecs_heif_decoder {
    struct heif_context *context;
    struct heif_image_handle *handle;
    struct heif_image *image;
    const uint8_t *next_row;
    int stride;
    size_t row_bytes;
};

static ccodecs_code fail(struct heif_error error, ccodecs_fault *fault) {
    snprintf(fault->message, sizeof fault->message, "%s", error.message == NULL ? "unknown fault" : error.message);
    if (error.subcode == heif_suberror_Security_limit_exceeded) return CCODECS_TOO_MUCH_MEMORY;
    switch (error.code) {
    case heif_error_Memory_allocation_error:
        return CCODECS_TOO_MUCH_MEMORY;  // also said of data that are empty, so that no other time is better
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature:
    case heif_error_Plugin_loading_error:
        return CCODECS_UNSUPPORTED;
    default:
        return error.subcode == heif_suberror_End_of_data ? CCODECS_TRUNCATED : CCODECS_CORRUPT;
    }
}

static ccodecs_code fail_with(ccodecs_code code, const char *text, ccodecs_fault *fault) {
    snprintf(fault->message, sizeof fault->message, "%s", text);
    return code;
}

ccodecs_code ccodecs_heif_open(const uint8_t *bytes, size_t count, uint32_t max_side, ccodecs_heif_decoder **result,
                               ccodecs_fault *fault) {
    ccodecs_heif_decoder *decoder = calloc(1, sizeof *decoder);
    *result = decoder;  // the caller closes it, whatever is returned
    if (decoder == NULL) return CCODECS_OUT_OF_MEMORY;
    decoder->context = heif_context_alloc();
    if (decoder->context == NULL) return CCODECS_OUT_OF_MEMORY;
    heif_context_set_max_decoding_threads(decoder->context, 0);
    heif_context_set_maximum_image_size_limit(decoder->context, (int)max_side);
    struct heif_error error = heif_context_read_from_memory_without_copy(decoder->context, bytes, count, NULL);
    return error.code == heif_error_Ok ? CCODECS_OK : fail(error, fault);
}

// The primary picture, or a thumbnail of it.
static struct heif_error get_handle(ccodecs_heif_decoder *decoder, uint32_t item) {
    struct heif_error error = heif_context_get_primary_image_handle(decoder->context, &decoder->handle);
    heif_item_id primary = item;
    if (error.code == heif_error_Ok) error = heif_context_get_primary_image_ID(decoder->context, &primary);
    if (error.code != heif_error_Ok || primary == item) return error;
    struct heif_image_handle *thumbnail = NULL;
    error = heif_image_handle_get_thumbnail(decoder->handle, item, &thumbnail);
    heif_image_handle_release(decoder->handle);
    decoder->handle = thumbnail;
    return error;
}

ccodecs_code ccodecs_heif_decode(ccodecs_heif_decoder *decoder, uint32_t item, ccodecs_layout layout,
                                 ccodecs_fault *fault) {
    struct heif_error error = get_handle(decoder, item);
    if (error.code != heif_error_Ok) return fail(error, fault);
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (options == NULL) return CCODECS_OUT_OF_MEMORY;
    options->convert_hdr_to_8bit = 1;
    // Not strict: of a picture whose colours it cannot name, libheif would lose the memory then.
    enum heif_chroma chroma = layout.channels == 4 ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    error = heif_decode_image(decoder->handle, &decoder->image, heif_colorspace_RGB, chroma, options);
    heif_decoding_options_free(options);
    if (error.code != heif_error_Ok) return fail(error, fault);
    int width = heif_image_get_width(decoder->image, heif_channel_interleaved);
    int height = heif_image_get_height(decoder->image, heif_channel_interleaved);
    int bits = heif_image_get_bits_per_pixel(decoder->image, heif_channel_interleaved);
    if (width != (int)layout.width || height != (int)layout.height) {
        return fail_with(CCODECS_CORRUPT, "two sizes", fault);
    }
    if (bits != (int)layout.channels * 8) return fail_with(CCODECS_UNSUPPORTED, "not 8 bits a sample", fault);
    decoder->next_row = heif_image_get_plane_readonly(decoder->image, heif_channel_interleaved, &decoder->stride);
    decoder->row_bytes = (size_t)layout.width * layout.channels;
    return decoder->next_row == NULL ? fail_with(CCODECS_CORRUPT, "no pixels", fault) : CCODECS_OK;
}

bool ccodecs_heif_is_premultiplied(const ccodecs_heif_decoder *decoder) {
    return heif_image_handle_is_premultiplied_alpha(decoder->handle) != 0;
}

void ccodecs_heif_read_row(ccodecs_heif_decoder *decoder, uint8_t *row) {
    memcpy(row, decoder->next_row, decoder->row_bytes);
    decoder->next_row += decoder->stride;
}

void ccodecs_heif_close(ccodecs_heif_decoder *decoder) {
    if (decoder == NULL) return;
    if (decoder->image != NULL) heif_image_release(decoder->image);
    if (decoder->handle != NULL) heif_image_handle_release(decoder->handle);
    if (decoder->context != NULL) heif_context_free(decoder->context);
    free(decoder);
}

#endif

#include "ccodecs_png.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct ccodecs_png_decoder {
    png_structp png;
    png_infop info;
    jmp_buf escape;
    ccodecs_fault *fault;  // of the call in progress
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    size_t row_bytes;
    uint32_t height;
    int passes;
    bool ran_off_the_end;
    bool out_of_memory;
};

static void on_error(png_structp png, png_const_charp text) {
    ccodecs_png_decoder *decoder = png_get_error_ptr(png);
    snprintf(decoder->fault->message, sizeof decoder->fault->message, "%s", text);
    longjmp(decoder->escape, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void *allocate(png_structp png, png_alloc_size_t count) {
    ccodecs_png_decoder *decoder = png_get_mem_ptr(png);
    void *memory = malloc(count);
    if (memory == NULL) decoder->out_of_memory = true;
    return memory;
}

static void release(png_structp png, void *memory) {
    (void)png;
    free(memory);
}

// The number of bytes of pixel data that libpng requests at a time, if there are as many.
static const size_t step_bytes = 8192;

// Reads bytes for libpng, which accepts all requested bytes or none. Its requests are limited to the bytes that are
// left, so that no data of a truncated file is lost.
static void on_read(png_structp png, png_bytep bytes, size_t count) {
    ccodecs_png_decoder *decoder = png_get_io_ptr(png);
    if (count > decoder->count - decoder->offset) {
        decoder->ran_off_the_end = true;
        png_error(png, "the data ends too early");
    }
    memcpy(bytes, decoder->bytes + decoder->offset, count);
    decoder->offset += count;
    size_t left = decoder->count - decoder->offset;
    if (left > 0) png_set_compression_buffer_size(png, left < step_bytes ? left : step_bytes);
}

static ccodecs_code code_of_error(const ccodecs_png_decoder *decoder) {
    if (decoder->out_of_memory) return CCODECS_OUT_OF_MEMORY;
    return decoder->ran_off_the_end ? CCODECS_TRUNCATED : CCODECS_CORRUPT;
}

// Converts all images to 8-bit grey, RGB or RGBA; with `is_deep`, to RGB or RGBA of 8 or 16 bits. Gamma is unchanged.
static void set_transforms(ccodecs_png_decoder *decoder, bool is_deep) {
    png_structp png = decoder->png;
    png_set_expand(png);  // palettes, small bit depths, tRNS
    if (!is_deep) png_set_scale_16(png);  // rounds, unlike strip_16, which truncates
    bool has_alpha = (png_get_color_type(png, decoder->info) & PNG_COLOR_MASK_ALPHA) != 0
        || png_get_valid(png, decoder->info, PNG_INFO_tRNS) != 0;
    if (has_alpha || is_deep) png_set_gray_to_rgb(png);
    decoder->passes = png_set_interlace_handling(png);
    png_read_update_info(png, decoder->info);
}

ccodecs_code ccodecs_png_open(const uint8_t *bytes, size_t count, uint32_t max_width, uint32_t max_height,
                              size_t max_chunk_bytes, bool is_deep, ccodecs_png_decoder **result,
                              ccodecs_png_info *info, ccodecs_fault *fault) {
    ccodecs_png_decoder *decoder = calloc(1, sizeof *decoder);
    *result = decoder;  // the caller closes it, whatever the result is
    if (decoder == NULL) return CCODECS_OUT_OF_MEMORY;
    decoder->fault = fault;
    decoder->bytes = bytes;
    decoder->count = count;
    if (setjmp(decoder->escape)) return code_of_error(decoder);
    decoder->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, decoder, on_error, on_warning, decoder, allocate,
                                            release);
    if (decoder->png == NULL) return CCODECS_OUT_OF_MEMORY;
    decoder->info = png_create_info_struct(decoder->png);
    if (decoder->info == NULL) return CCODECS_OUT_OF_MEMORY;
    png_structp png = decoder->png;
    png_set_user_limits(png, max_width, max_height);
    png_set_chunk_malloc_max(png, max_chunk_bytes);
    png_set_chunk_cache_max(png, 128);
    // A negative count: all chunks except IHDR, PLTE, tRNS, IDAT and IEND are skipped unread.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_read_fn(png, decoder, on_read);
    png_read_info(png, decoder->info);
    set_transforms(decoder, is_deep);
    decoder->row_bytes = png_get_rowbytes(png, decoder->info);
    decoder->height = png_get_image_height(png, decoder->info);
    info->layout.width = png_get_image_width(png, decoder->info);
    info->layout.height = decoder->height;
    info->layout.channels = png_get_channels(png, decoder->info);
    info->bits = png_get_bit_depth(png, decoder->info);
    info->is_interlaced = decoder->passes > 1;
    return CCODECS_OK;
}

ccodecs_code ccodecs_png_read_row(ccodecs_png_decoder *decoder, uint8_t *row, ccodecs_fault *fault) {
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return code_of_error(decoder);
    png_read_row(decoder->png, row, NULL);
    return CCODECS_OK;
}

ccodecs_code ccodecs_png_read_all(ccodecs_png_decoder *decoder, uint8_t *pixels, ccodecs_fault *fault) {
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return code_of_error(decoder);
    for (int pass = 0; pass < decoder->passes; pass++) {
        for (uint32_t y = 0; y < decoder->height; y++) {
            png_read_row(decoder->png, pixels + decoder->row_bytes * y, NULL);
        }
    }
    return CCODECS_OK;
}

ccodecs_code ccodecs_png_finish(ccodecs_png_decoder *decoder, ccodecs_fault *fault) {
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return code_of_error(decoder);
    png_read_end(decoder->png, NULL);
    return CCODECS_OK;
}

void ccodecs_png_close(ccodecs_png_decoder *decoder) {
    if (decoder == NULL) return;
    if (decoder->png != NULL) png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder);
}

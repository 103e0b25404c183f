#include "ccodecs_png.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct encoder {
    png_structp png;
    png_infop info;
    jmp_buf escape;
    ccodecs_fault *fault;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    bool out_of_memory;
    bool is_complete;
};

static void on_error(png_structp png, png_const_charp text) {
    struct encoder *encoder = png_get_error_ptr(png);
    snprintf(encoder->fault->message, sizeof encoder->fault->message, "%s", text);
    longjmp(encoder->escape, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    struct encoder *encoder = png_get_io_ptr(png);
    if (count > encoder->capacity - encoder->count) {
        size_t capacity = encoder->capacity * 2 + count + 4096;
        uint8_t *grown = realloc(encoder->bytes, capacity);
        if (grown == NULL) {
            encoder->out_of_memory = true;
            png_error(png, "out of memory");
        }
        encoder->bytes = grown;
        encoder->capacity = capacity;
    }
    memcpy(encoder->bytes + encoder->count, bytes, count);
    encoder->count += count;
}

static void on_flush(png_structp png) {
    (void)png;
}

static int color_type(uint32_t channels) {
    if (channels == 1) return PNG_COLOR_TYPE_GRAY;
    return channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
}

static void encode_rows(struct encoder *encoder, const uint8_t *pixels, ccodecs_layout layout) {
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, encoder, on_error, on_warning);
    if (encoder->png != NULL) encoder->info = png_create_info_struct(encoder->png);
    encoder->out_of_memory = encoder->info == NULL;
    if (encoder->out_of_memory) return;
    png_structp png = encoder->png;
    png_set_write_fn(png, encoder, on_write, on_flush);
    png_set_IHDR(png, encoder->info, layout.width, layout.height, 8, color_type(layout.channels), PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, encoder->info);
    size_t stride = (size_t)layout.width * layout.channels;
    for (uint32_t y = 0; y < layout.height; y++) png_write_row(png, pixels + stride * y);
    png_write_end(png, NULL);
    encoder->is_complete = true;
}

ccodecs_code ccodecs_png_encode(const uint8_t *pixels, ccodecs_layout layout, uint8_t **encoded,
                                size_t *encoded_count, ccodecs_fault *fault) {
    // On the heap, so that no variable that changes after setjmp is in this frame.
    struct encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return CCODECS_OUT_OF_MEMORY;
    encoder->fault = fault;
    if (setjmp(encoder->escape) == 0) encode_rows(encoder, pixels, layout);
    ccodecs_code code = encoder->out_of_memory ? CCODECS_OUT_OF_MEMORY : CCODECS_UNSUPPORTED;
    if (encoder->is_complete) {
        code = CCODECS_OK;
        *encoded = encoder->bytes;
        *encoded_count = encoder->count;
        encoder->bytes = NULL;
    }
    if (encoder->png != NULL) png_destroy_write_struct(&encoder->png, &encoder->info);
    free(encoder->bytes);
    free(encoder);
    return code;
}

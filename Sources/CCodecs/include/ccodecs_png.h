// PNG, by libpng.
#ifndef CCODECS_PNG_H
#define CCODECS_PNG_H

#include "ccodecs.h"

typedef struct ccodecs_png_decoder ccodecs_png_decoder;

typedef struct ccodecs_png_info {
    ccodecs_layout layout;
    uint8_t bits;  // of a sample: 8, or 16 if `is_deep` was requested
    bool is_interlaced;
} ccodecs_png_info;

// Reads the header. Rows have 8 bits per channel: 1 (grey), 3 (RGB) or 4 (RGBA, alpha not premultiplied). With
// `is_deep`, samples of 16 bits keep them, in big-endian order, and grey becomes RGB. In a truncated file, all rows
// that are present can be read.
ccodecs_code ccodecs_png_open(const uint8_t *bytes, size_t count, uint32_t max_width, uint32_t max_height,
                              size_t max_chunk_bytes, bool is_deep,
                              ccodecs_png_decoder **decoder, ccodecs_png_info *info, ccodecs_fault *fault);
// Reads the next row of an image that is not interlaced.
ccodecs_code ccodecs_png_read_row(ccodecs_png_decoder *decoder, uint8_t *row, ccodecs_fault *fault);
// Reads all rows of an image, interlaced or not, into `width * channels * bits / 8 * height` bytes.
ccodecs_code ccodecs_png_read_all(ccodecs_png_decoder *decoder, uint8_t *pixels, ccodecs_fault *fault);
// Reads up to the end chunk, after the last row.
ccodecs_code ccodecs_png_finish(ccodecs_png_decoder *decoder, ccodecs_fault *fault);
void ccodecs_png_close(ccodecs_png_decoder *decoder);

// Encodes an 8-bit PNG of 1 (grey), 3 (RGB) or 4 (RGBA) channels. The caller frees `*encoded` with ccodecs_free.
ccodecs_code ccodecs_png_encode(const uint8_t *pixels, ccodecs_layout layout, uint8_t **encoded,
                                size_t *encoded_count, ccodecs_fault *fault);

#endif

// The images in HEICs and AVIFs, as the decoders of HEVC and AV1 return them.
#ifndef CCODECS_CODED_IMAGE_H
#define CCODECS_CODED_IMAGE_H

#include "ccodecs.h"

// Samples of one kind: of one byte each up to 8 bits, otherwise of two in the machine's byte order.
typedef struct ccodecs_coded_plane {
    const uint8_t *samples;
    size_t stride;  // bytes per row
    uint32_t width;
    uint32_t height;
    uint32_t bits;
} ccodecs_coded_plane;

// The colour description in a coded image, in the numbers of ITU-T H.273.
typedef struct ccodecs_coded_color {
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
    bool is_full_range;
} ccodecs_coded_color;

// An image in its decoder's memory; valid until the decoder is closed.
typedef struct ccodecs_coded_image {
    ccodecs_coded_plane planes[3];
    uint32_t plane_count;  // 1: grey
    ccodecs_coded_color color;
} ccodecs_coded_image;

// Copies samples of a row through a table with an entry for every value of the plane's bits. Without a table, which is
// allowed for 8 bits, they are copied unchanged. Row, column and count must be inside the plane.
void ccodecs_coded_row(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                       const uint8_t *table, uint8_t *samples);
void ccodecs_coded_levels(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                          const float *table, float *levels);

#endif

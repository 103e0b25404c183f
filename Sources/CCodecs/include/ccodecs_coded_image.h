// What HEICs and AVIFs consist of: images as the decoders of HEVC and AV1 hand them out.
#ifndef CCODECS_CODED_IMAGE_H
#define CCODECS_CODED_IMAGE_H

#include "ccodecs.h"

// Samples of one kind: of one byte up to 8 bits, else of two in the machine's order.
typedef struct ccodecs_coded_plane {
    const uint8_t *samples;
    size_t stride;  // bytes a row
    uint32_t width;
    uint32_t height;
    uint32_t bits;
} ccodecs_coded_plane;

// What a coded image says of its colours, in the numbers of ITU-T H.273.
typedef struct ccodecs_coded_color {
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
    bool is_full_range;
} ccodecs_coded_color;

// An image as its decoder holds it, until that is closed.
typedef struct ccodecs_coded_image {
    ccodecs_coded_plane planes[3];
    uint32_t plane_count;  // 1: grey
    ccodecs_coded_color color;
} ccodecs_coded_image;

// Copies samples of a row, each by a table with an entry for every number of the plane's bits; without a table, which is for
// 8 bits, as they are. Row, column and count lie in the plane.
void ccodecs_coded_row(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                       const uint8_t *table, uint8_t *samples);
void ccodecs_coded_levels(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                          const float *table, float *levels);

#endif

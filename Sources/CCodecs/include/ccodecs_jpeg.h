// JPEG, by libjpeg.
#ifndef CCODECS_JPEG_H
#define CCODECS_JPEG_H

#include "ccodecs.h"

typedef struct ccodecs_jpeg_decoder ccodecs_jpeg_decoder;

// The warnings so far. libjpeg continues after each of them, with grey or repeated blocks for missing data.
typedef struct ccodecs_jpeg_warnings {
    uint32_t truncated;      // reads beyond the end
    uint32_t damaged;        // invalid codes, segments with too few bytes or too many, lost synchronisation
    uint32_t lost_permille;  // the approximate part of the image without data, in the scan that lacks most
} ccodecs_jpeg_warnings;

typedef struct ccodecs_jpeg_info {
    uint32_t width;   // as stored, before scaling
    uint32_t height;
    bool is_planar;   // grey or YCbCr, which can be read as planes
    bool is_cmyk;     // rows have four channels: cyan, magenta, yellow, black
    bool is_inverted; // there is an Adobe marker: CMYK samples are stored as 255 - ink
} ccodecs_jpeg_info;

// Reads the header. `max_memory_bytes` bounds the whole-image arrays of multi-scan files.
ccodecs_code ccodecs_jpeg_open(const uint8_t *bytes, size_t count, size_t max_memory_bytes, int max_scans,
                               ccodecs_jpeg_decoder **decoder, ccodecs_jpeg_info *info, ccodecs_fault *fault);
// Starts decoding at `eighths`/8 of the stored size. Rows have 1 (grey), 3 (RGB) or 4 (CMYK) channels.
ccodecs_code ccodecs_jpeg_start(ccodecs_jpeg_decoder *decoder, int eighths, ccodecs_layout *layout,
                                ccodecs_fault *fault);
// Reads the next row: `width * channels` bytes.
ccodecs_code ccodecs_jpeg_read_row(ccodecs_jpeg_decoder *decoder, uint8_t *row, ccodecs_fault *fault);

// A component as stored: there are one or three of them, luma first.
typedef struct ccodecs_jpeg_plane {
    uint32_t horizontal;  // sampling factors: a component's share of the largest factor is its resolution
    uint32_t vertical;
    uint32_t eighths;     // its scale, which may be larger than requested if it is subsampled
    uint32_t stride;      // samples per row, of which the last ones may be beyond the image
    uint32_t band_rows;   // rows per band
} ccodecs_jpeg_plane;

typedef struct ccodecs_jpeg_planes {
    uint32_t count;
    uint32_t band_count;
    ccodecs_jpeg_plane planes[3];
} ccodecs_jpeg_planes;

// Starts decoding a planar image at `eighths`/8 of the stored size, into bands of rows.
ccodecs_code ccodecs_jpeg_start_planes(ccodecs_jpeg_decoder *decoder, int eighths, ccodecs_jpeg_planes *layout,
                                       ccodecs_fault *fault);
// Reads the next band: `stride * band_rows` samples of each plane, one plane after the other.
ccodecs_code ccodecs_jpeg_read_band(ccodecs_jpeg_decoder *decoder, uint8_t *samples, ccodecs_fault *fault);

// Reads up to the end marker, after the last row or band.
ccodecs_code ccodecs_jpeg_finish(ccodecs_jpeg_decoder *decoder, ccodecs_jpeg_warnings *warnings,
                                 ccodecs_fault *fault);
void ccodecs_jpeg_close(ccodecs_jpeg_decoder *decoder);

// Encodes a JPEG, baseline or progressive: grey for one channel, 4:2:0 or 4:4:4 for three (RGB). The caller frees
// `*encoded` with ccodecs_free.
ccodecs_code ccodecs_jpeg_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, bool is_progressive,
                                 bool is_chroma_full, uint8_t **encoded, size_t *encoded_count, ccodecs_fault *fault);

// Encodes a JPEG from planes: grey, 4:2:0 or 4:4:4. The caller frees `*encoded` with ccodecs_free.
ccodecs_code ccodecs_jpeg_encode_planes(ccodecs_planes picture, int quality, bool is_progressive, uint8_t **encoded,
                                        size_t *encoded_count, ccodecs_fault *fault);

#endif

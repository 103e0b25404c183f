// The loops over pixels that take most of the time, for the processor in use.
//
// Each function has a portable form and, where it is faster, one for AVX2, which is chosen at the call; both give the
// same numbers, bit for bit. `…_portable` is declared for the test of that. The functions never allocate or fail, and
// keep no state.
#ifndef CKERNELS_H
#define CKERNELS_H

#include "inverse_dct.h"

#include <stddef.h>
#include <stdint.h>

// Computes eight by eight samples from as many coefficients, row by row, as libjpeg's accurate integer transform does.
void ckernels_inverse_dct_8x8(const int16_t *coefficients, uint8_t *samples, size_t stride);
void ckernels_inverse_dct_8x8_portable(const int16_t *coefficients, uint8_t *samples, size_t stride);

// Computes weighted sums of rows, `stride` samples apart: (Σ weights[i] · rows[i][x] + 128) >> 8.
//
// With weights that sum up to 2^14, a result has six fractional bits. The magnitudes of the weights must not sum up to
// more than 1.99 · 2^14.
void ckernels_blend_rows(const uint8_t *rows, size_t stride, const int16_t *weights, size_t row_count,
                         int16_t *blended, size_t count);
void ckernels_blend_rows_portable(const uint8_t *rows, size_t stride, const int16_t *weights, size_t row_count,
                                  int16_t *blended, size_t count);

// Computes weighted sums of samples with six fractional bits: (Σ weights[x][i] · row[starts[x] + i] + 2^19) >> 20,
// clamped to 0…255.
//
// `taps` is a multiple of eight; the row must be readable up to `taps` samples after the largest of `starts`.
void ckernels_shrink_row(const int16_t *row, const uint32_t *starts, const int16_t *weights, size_t taps,
                         uint8_t *shrunk, size_t count);
void ckernels_shrink_row_portable(const int16_t *row, const uint32_t *starts, const int16_t *weights, size_t taps,
                                  uint8_t *shrunk, size_t count);

// The filter types of a PNG's rows, by their numbers (PNG specification, third edition, section 9.2).
typedef enum {
    ckernels_png_none = 0,
    ckernels_png_sub = 1,
    ckernels_png_up = 2,
    ckernels_png_average = 3,
    ckernels_png_paeth = 4,
} ckernels_png_filter;

// Reverses the filters of rows. Each row is its filter type, 0 to 4, and `count` bytes, `channels` per pixel; `above`,
// of `count` bytes without a filter type, is the unfiltered row above the first one, or zeros.
void ckernels_png_unfilter(uint8_t *rows, size_t row_count, const uint8_t *above, size_t count, size_t channels);
void ckernels_png_unfilter_portable(uint8_t *rows, size_t row_count, const uint8_t *above, size_t count,
                                    size_t channels);

// Splits interleaved samples into `channels` planes, `stride` samples apart.
void ckernels_split_pixels(const uint8_t *pixels, size_t channels, uint8_t *planes, size_t stride, size_t count);
void ckernels_split_pixels_portable(const uint8_t *pixels, size_t channels, uint8_t *planes, size_t stride,
                                    size_t count);

// Writes the colours of palette indices to 3 or 4 planes, `stride` samples apart; each of the 256 `colors` has four
// samples of 16 bits, the first one lowest, with values up to 255.
void ckernels_look_up_pixels(const uint8_t *indices, const uint64_t *colors, size_t channels, uint8_t *planes,
                             size_t stride, size_t count);

// The same for two rows of indices; a sample is the rounded mean of two by two pixels, so (count + 1) / 2 are written.
// An odd last column counts twice.
void ckernels_look_up_quads(const uint8_t *upper, const uint8_t *lower, const uint64_t *colors, size_t channels,
                            uint8_t *planes, size_t stride, size_t count);

#endif

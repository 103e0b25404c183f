#include "ckernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static uint8_t paeth(int left, int above, int corner) {
    int from_left = abs(above - corner), from_above = abs(left - corner), from_corner = abs(left + above - 2 * corner);
    if (from_left <= from_above && from_left <= from_corner) return (uint8_t)left;
    return (uint8_t)(from_above <= from_corner ? above : corner);
}

static void unfilter(ckernels_png_filter filter, uint8_t *row, const uint8_t *above, size_t start, size_t count,
                     size_t channels) {
    for (size_t i = start; i < count; i++) {
        int left = i < channels ? 0 : row[i - channels], corner = i < channels ? 0 : above[i - channels];
        switch (filter) {
        case ckernels_png_none: return;
        case ckernels_png_sub: row[i] = (uint8_t)(row[i] + left); break;
        case ckernels_png_up: row[i] = (uint8_t)(row[i] + above[i]); break;
        case ckernels_png_average: row[i] = (uint8_t)(row[i] + (left + above[i]) / 2); break;
        case ckernels_png_paeth: row[i] = (uint8_t)(row[i] + paeth(left, above[i], corner)); break;
        }
    }
}

void ckernels_png_unfilter_portable(uint8_t *rows, size_t row_count, const uint8_t *above, size_t count,
                                    size_t channels) {
    for (size_t y = 0; y < row_count; y++) {
        uint8_t *row = rows + y * (count + 1);
        unfilter((ckernels_png_filter)row[0], row + 1, above, 0, count, channels);
        above = row + 1;
    }
}

#if defined(__SSE2__)

// Loads four bytes, of which three may be a pixel; callers make sure that all four are readable.
static inline __m128i load(const uint8_t *bytes) {
    int32_t pixel;
    memcpy(&pixel, bytes, sizeof pixel);
    return _mm_cvtsi32_si128(pixel);
}

static inline void store(__m128i pixel, uint8_t *bytes, size_t channels) {
    int32_t value = _mm_cvtsi128_si32(pixel);
    memcpy(bytes, &value, channels);
}

static inline __m128i magnitude(__m128i values) {
    return _mm_max_epi16(values, _mm_sub_epi16(_mm_setzero_si128(), values));
}

static inline __m128i chosen(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

// Returns the neighbour that is nearest to left + above - corner; samples of 16 bits.
static inline __m128i nearest_of(__m128i left, __m128i above, __m128i corner) {
    __m128i to_left = _mm_sub_epi16(above, corner), to_above = _mm_sub_epi16(left, corner);
    __m128i to_corner = magnitude(_mm_add_epi16(to_left, to_above));
    to_left = magnitude(to_left);
    to_above = magnitude(to_above);
    __m128i least = _mm_min_epi16(to_corner, _mm_min_epi16(to_left, to_above));
    return chosen(_mm_cmpeq_epi16(least, to_left), left, chosen(_mm_cmpeq_epi16(least, to_above), above, corner));
}

// Reverses a filter pixel by pixel, since each depends on the one before; the samples of a pixel are processed in
// parallel.
static inline __attribute__((always_inline)) size_t unfilter_pixels(ckernels_png_filter filter, uint8_t *row,
                                                                    const uint8_t *above, size_t count,
                                                                    size_t channels) {
    const __m128i zero = _mm_setzero_si128();
    __m128i left = zero, corner = zero;
    size_t i = 0;
    for (; i + 4 <= count; i += channels) {
        __m128i up = load(above + i), value = load(row + i);
        if (filter == ckernels_png_sub) {
            left = _mm_add_epi8(value, left);
        } else if (filter == ckernels_png_average) {
            // The instruction rounds up; the filter rounds down.
            __m128i odd = _mm_and_si128(_mm_xor_si128(left, up), _mm_set1_epi8(1));
            left = _mm_add_epi8(value, _mm_sub_epi8(_mm_avg_epu8(left, up), odd));
        } else {
            __m128i b = _mm_unpacklo_epi8(up, zero);
            __m128i nearest = nearest_of(_mm_unpacklo_epi8(left, zero), b, corner);
            left = _mm_add_epi8(value, _mm_packus_epi16(nearest, nearest));
            corner = b;
        }
        store(left, row + i, channels);
    }
    return i;
}

static void unfilter_row(ckernels_png_filter filter, uint8_t *row, const uint8_t *above, size_t count,
                         size_t channels) {
    size_t done = 0;
    bool waits = filter == ckernels_png_sub || filter == ckernels_png_average || filter == ckernels_png_paeth;
    if (waits && channels == 3) {
        if (filter == ckernels_png_sub) done = unfilter_pixels(ckernels_png_sub, row, above, count, 3);
        else if (filter == ckernels_png_average) done = unfilter_pixels(ckernels_png_average, row, above, count, 3);
        else done = unfilter_pixels(ckernels_png_paeth, row, above, count, 3);
    } else if (waits && channels == 4) {
        if (filter == ckernels_png_sub) done = unfilter_pixels(ckernels_png_sub, row, above, count, 4);
        else if (filter == ckernels_png_average) done = unfilter_pixels(ckernels_png_average, row, above, count, 4);
        else done = unfilter_pixels(ckernels_png_paeth, row, above, count, 4);
    } else if (filter == ckernels_png_up) {
        for (; done < count; done++) row[done] = (uint8_t)(row[done] + above[done]);
    }
    unfilter(filter, row, above, done, count, channels);
}

// Loads a pixel of one row into the lower half and a pixel of another into the upper one; samples of 16 bits.
static inline __m128i load_two(const uint8_t *low, const uint8_t *high) {
    return _mm_unpacklo_epi8(_mm_unpacklo_epi32(load(low), load(high)), _mm_setzero_si128());
}

static inline void store_two(__m128i pixels, uint8_t *low, uint8_t *high, size_t channels) {
    __m128i packed = _mm_packus_epi16(pixels, pixels);
    store(packed, low, channels);
    store(_mm_srli_epi64(packed, 32), high, channels);
}

// Returns the upper half of one followed by the lower half of the other.
static inline __m128i upper_and_lower(__m128i one, __m128i other) {
    return _mm_castpd_si128(_mm_shuffle_pd(_mm_castsi128_pd(one), _mm_castsi128_pd(other), 1));
}

static inline __m128i paeth_step(__m128i value, __m128i left, __m128i up, __m128i corner) {
    return _mm_and_si128(_mm_add_epi16(value, nearest_of(left, up, corner)), _mm_set1_epi16(0xFF));
}

// Processes four rows at once, each one pixel behind the row above it, whose new pixel it uses.
//
// Each row has at least three pixels, and the loop runs only if four bytes are readable from the fourth pixel on.
static inline __attribute__((always_inline)) void unfilter_four_paeth(uint8_t *rows[4], const uint8_t *above,
                                                                      size_t count, size_t channels) {
    const uint8_t *ups[4] = {above, rows[0], rows[1], rows[2]};
    for (size_t y = 0; y < 3; y++) unfilter(ckernels_png_paeth, rows[y], ups[y], 0, (3 - y) * channels, channels);
    const __m128i zero = _mm_setzero_si128();
    size_t i = 3 * channels;
    if (i + 4 <= count) {
        __m128i left = load_two(rows[0] + 2 * channels, rows[1] + channels);
        __m128i corner = load_two(above + 2 * channels, rows[0] + channels);
        __m128i lower_left = _mm_unpacklo_epi8(load(rows[2]), zero), lower_corner = _mm_unpacklo_epi8(load(rows[1]), zero);
        lower_left = _mm_move_epi64(lower_left);
        lower_corner = _mm_move_epi64(lower_corner);
        for (; i + 4 <= count; i += channels) {
            uint8_t *places[4] = {rows[0] + i, rows[1] + i - channels, rows[2] + i - 2 * channels,
                                  rows[3] + i - 3 * channels};
            __m128i up = _mm_unpacklo_epi64(_mm_unpacklo_epi8(load(above + i), zero), left);
            __m128i lower_up = upper_and_lower(left, lower_left);
            left = paeth_step(load_two(places[0], places[1]), left, up, corner);
            lower_left = paeth_step(load_two(places[2], places[3]), lower_left, lower_up, lower_corner);
            corner = up;
            lower_corner = lower_up;
            store_two(left, places[0], places[1], channels);
            store_two(lower_left, places[2], places[3], channels);
        }
    }
    for (size_t y = 0; y < 4; y++) unfilter(ckernels_png_paeth, rows[y], ups[y], i - y * channels, count, channels);
}

void ckernels_png_unfilter(uint8_t *rows, size_t row_count, const uint8_t *above, size_t count, size_t channels) {
    for (size_t y = 0; y < row_count; y++) {
        uint8_t *four[4];
        size_t paeth_count = 0;
        for (; paeth_count < 4 && y + paeth_count < row_count; paeth_count++) {
            uint8_t *row = rows + (y + paeth_count) * (count + 1);
            if (row[0] != ckernels_png_paeth) break;
            four[paeth_count] = row + 1;
        }
        uint8_t *row = rows + y * (count + 1);
        if (paeth_count == 4 && count >= 3 * channels && (channels == 3 || channels == 4)) {
            if (channels == 3) unfilter_four_paeth(four, above, count, 3);
            else unfilter_four_paeth(four, above, count, 4);
            y += 3;
            above = four[3];
        } else {
            unfilter_row((ckernels_png_filter)row[0], row + 1, above, count, channels);
            above = row + 1;
        }
    }
}

#else

void ckernels_png_unfilter(uint8_t *rows, size_t row_count, const uint8_t *above, size_t count, size_t channels) {
    ckernels_png_unfilter_portable(rows, row_count, above, count, channels);
}

#endif

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

void ckernels_png_unfilter_portable(ckernels_png_filter filter, uint8_t *row, const uint8_t *above, size_t count,
                                    size_t channels) {
    unfilter(filter, row, above, 0, count, channels);
}

#if defined(__SSE2__)

// Four bytes of which three may be a pixel; there are so many from each place where this is called.
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

// Each pixel waits for the one before; its samples go side by side.
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
            // The instruction rounds up.
            __m128i odd = _mm_and_si128(_mm_xor_si128(left, up), _mm_set1_epi8(1));
            left = _mm_add_epi8(value, _mm_sub_epi8(_mm_avg_epu8(left, up), odd));
        } else {
            __m128i a = _mm_unpacklo_epi8(left, zero), b = _mm_unpacklo_epi8(up, zero);
            __m128i to_a = _mm_sub_epi16(b, corner), to_b = _mm_sub_epi16(a, corner);
            __m128i to_c = magnitude(_mm_add_epi16(to_a, to_b));
            to_a = magnitude(to_a);
            to_b = magnitude(to_b);
            __m128i least = _mm_min_epi16(to_c, _mm_min_epi16(to_a, to_b));
            __m128i nearest = chosen(_mm_cmpeq_epi16(least, to_a), a,
                                     chosen(_mm_cmpeq_epi16(least, to_b), b, corner));
            left = _mm_add_epi8(value, _mm_packus_epi16(nearest, nearest));
            corner = b;
        }
        store(left, row + i, channels);
    }
    return i;
}

void ckernels_png_unfilter(ckernels_png_filter filter, uint8_t *row, const uint8_t *above, size_t count,
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

#else

void ckernels_png_unfilter(ckernels_png_filter filter, uint8_t *row, const uint8_t *above, size_t count,
                           size_t channels) {
    ckernels_png_unfilter_portable(filter, row, above, count, channels);
}

#endif

// Inverse discrete cosine transforms of the lowest frequencies of a JPEG's block, small enough to be inlined into their
// callers. On x86-64 they use SSE2, which every such processor has; `…_portable` gives the same samples, bit for bit.
#ifndef CKERNELS_INVERSE_DCT_H
#define CKERNELS_INVERSE_DCT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// 1, √2 cos(π/8) and √2 cos(3π/8), with 13 fractional bits. Between the passes two fractional bits are kept; the second
// pass also divides by eight.
enum {
    ckernels_one = 1 << 13,
    ckernels_cosine1 = 10703,
    ckernels_cosine3 = 4433,
    ckernels_first_shift = 13 - 2,
    ckernels_second_shift = 13 + 2 + 3,
};

static inline int16_t ckernels_clamp_int16(int32_t value) {
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

// Computes four points from the four frequencies that are `step` apart, rounded.
static inline void ckernels_four_points(const int16_t *f, size_t step, int shift, int32_t points[4]) {
    int32_t half = 1 << (shift - 1);
    int32_t sum = (f[0] + f[2 * step]) * ckernels_one + half, difference = (f[0] - f[2 * step]) * ckernels_one + half;
    int32_t outer = f[step] * ckernels_cosine1 + f[3 * step] * ckernels_cosine3;
    int32_t inner = f[step] * ckernels_cosine3 - f[3 * step] * ckernels_cosine1;
    points[0] = (sum + outer) >> shift;
    points[1] = (difference + inner) >> shift;
    points[2] = (difference - inner) >> shift;
    points[3] = (sum - outer) >> shift;
}

// Computes four by four samples from as many coefficients, row by row.
static inline void ckernels_inverse_dct_4x4_portable(const int16_t *coefficients, uint8_t *samples, size_t stride) {
    int16_t columns[16];
    for (size_t x = 0; x < 4; x++) {
        int32_t points[4];
        ckernels_four_points(coefficients + x, 4, ckernels_first_shift, points);
        for (size_t y = 0; y < 4; y++) columns[4 * y + x] = ckernels_clamp_int16(points[y]);
    }
    for (size_t y = 0; y < 4; y++) {
        int32_t points[4];
        ckernels_four_points(columns + 4 * y, 1, ckernels_second_shift, points);
        for (size_t x = 0; x < 4; x++) {
            int32_t level = points[x] + 128;
            samples[y * stride + x] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
        }
    }
}

#if defined(__SSE2__)

// Repeats two weights for each pair of words.
static inline __m128i ckernels_pair(int16_t even, int16_t odd) {
    return _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)odd << 16 | (uint16_t)even));
}

// Computes four points of four lines at once, from the frequencies 0 and 2 of each in `even` and 1 and 3 in `odd`.
static inline void ckernels_four_lines(__m128i even, __m128i odd, int shift, __m128i points[4]) {
    __m128i half = _mm_set1_epi32(1 << (shift - 1));
    __m128i sum = _mm_add_epi32(_mm_madd_epi16(even, ckernels_pair(ckernels_one, ckernels_one)), half);
    __m128i difference = _mm_add_epi32(_mm_madd_epi16(even, ckernels_pair(ckernels_one, -ckernels_one)), half);
    __m128i outer = _mm_madd_epi16(odd, ckernels_pair(ckernels_cosine1, ckernels_cosine3));
    __m128i inner = _mm_madd_epi16(odd, ckernels_pair(ckernels_cosine3, -ckernels_cosine1));
    points[0] = _mm_srai_epi32(_mm_add_epi32(sum, outer), shift);
    points[1] = _mm_srai_epi32(_mm_add_epi32(difference, inner), shift);
    points[2] = _mm_srai_epi32(_mm_sub_epi32(difference, inner), shift);
    points[3] = _mm_srai_epi32(_mm_sub_epi32(sum, outer), shift);
}

// Reorders the four words of each half: the even ones before the odd ones.
static inline __m128i ckernels_even_odd(__m128i words) {
    return _mm_shufflehi_epi16(_mm_shufflelo_epi16(words, _MM_SHUFFLE(3, 1, 2, 0)), _MM_SHUFFLE(3, 1, 2, 0));
}

static inline void ckernels_inverse_dct_4x4(const int16_t *coefficients, uint8_t *samples, size_t stride) {
    __m128i top = _mm_loadu_si128((const __m128i *)coefficients);
    __m128i bottom = _mm_loadu_si128((const __m128i *)(coefficients + 8));
    __m128i points[4];
    ckernels_four_lines(_mm_unpacklo_epi16(top, bottom), _mm_unpackhi_epi16(top, bottom), ckernels_first_shift, points);
    __m128 upper = _mm_castsi128_ps(ckernels_even_odd(_mm_packs_epi32(points[0], points[1])));
    __m128 lower = _mm_castsi128_ps(ckernels_even_odd(_mm_packs_epi32(points[2], points[3])));
    __m128i even = _mm_castps_si128(_mm_shuffle_ps(upper, lower, _MM_SHUFFLE(2, 0, 2, 0)));
    __m128i odd = _mm_castps_si128(_mm_shuffle_ps(upper, lower, _MM_SHUFFLE(3, 1, 3, 1)));
    ckernels_four_lines(even, odd, ckernels_second_shift, points);
    __m128i level = _mm_set1_epi16(128);
    __m128i left = _mm_adds_epi16(_mm_packs_epi32(points[0], points[1]), level);
    __m128i right = _mm_adds_epi16(_mm_packs_epi32(points[2], points[3]), level);
    // Transposes columns of bytes to rows.
    __m128i columns = _mm_packus_epi16(left, right);
    __m128i pairs = _mm_unpacklo_epi8(columns, _mm_srli_si128(columns, 8));
    __m128i rows = _mm_unpacklo_epi8(pairs, _mm_srli_si128(pairs, 8));
    for (size_t y = 0; y < 4; y++, rows = _mm_srli_si128(rows, 4)) {
        int32_t row = _mm_cvtsi128_si32(rows);
        memcpy(samples + y * stride, &row, sizeof row);
    }
}

#else

static inline void ckernels_inverse_dct_4x4(const int16_t *coefficients, uint8_t *samples, size_t stride) {
    ckernels_inverse_dct_4x4_portable(coefficients, samples, stride);
}

#endif

#endif

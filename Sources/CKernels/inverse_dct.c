#include "ckernels.h"

// The algorithm of C. Loeffler, A. Ligtenberg and G. Moschytz ("Practical fast 1-D DCT algorithms with 11
// multiplications", ICASSP 1989) in libjpeg's fixed-point arithmetic, multiplied out: processors are fast at sums of
// products, and with integers the sums are the same. There are 13 fractional bits.
enum { one = 1 << 13, first_shift = 13 - 2, second_shift = 13 + 2 + 3 };

// The weights of frequencies 2 and 6, which are added for the points 0 and 1, and subtracted for the points 3 and 2.
static const int16_t even_weights[2][2] = {{10703, 4433}, {4433, -10704}};

// The weights of frequencies 1, 3, 5 and 7, which are added for the points 0 to 3, and subtracted for the points 7 to
// 4.
static const int16_t odd_weights[4][4] = {
    {11363, 9633, 6437, 2260},
    {9633, -2259, -11362, -6436},
    {6437, -11362, 2261, 9633},
    {2260, -6436, 9633, -11363},
};

// Computes eight points from the eight frequencies that are `step` apart, rounded.
static void eight_points(const int16_t *f, size_t step, int shift, int32_t points[8]) {
    int32_t half = 1 << (shift - 1);
    int32_t sums[2] = {(f[0] + f[4 * step]) * one + half, (f[0] - f[4 * step]) * one + half};
    for (int i = 0; i < 4; i++) {
        int mirrored = i < 2 ? i : 3 - i;
        int32_t turned = f[2 * step] * even_weights[mirrored][0] + f[6 * step] * even_weights[mirrored][1];
        int32_t even = i < 2 ? sums[mirrored] + turned : sums[mirrored] - turned;
        int32_t odd = 0;
        for (int j = 0; j < 4; j++) odd += f[(size_t)(2 * j + 1) * step] * odd_weights[i][j];
        points[i] = (even + odd) >> shift;
        points[7 - i] = (even - odd) >> shift;
    }
}

void ckernels_inverse_dct_8x8_portable(const int16_t *coefficients, uint8_t *samples, size_t stride) {
    int16_t columns[64];
    for (size_t x = 0; x < 8; x++) {
        int32_t points[8];
        eight_points(coefficients + x, 8, first_shift, points);
        for (size_t y = 0; y < 8; y++) columns[8 * y + x] = ckernels_clamp_int16(points[y]);
    }
    for (size_t y = 0; y < 8; y++) {
        int32_t points[8];
        eight_points(columns + 8 * y, 1, second_shift, points);
        for (size_t x = 0; x < 8; x++) {
            int32_t level = points[x] + 128;
            samples[y * stride + x] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
        }
    }
}

#if defined(__SSE2__)

// The frequencies of four lines, in pairs.
struct lines {
    __m128i f04, f26, f13, f57;
};

static inline struct lines low_lines(const __m128i f[8]) {
    return (struct lines){_mm_unpacklo_epi16(f[0], f[4]), _mm_unpacklo_epi16(f[2], f[6]),
                          _mm_unpacklo_epi16(f[1], f[3]), _mm_unpacklo_epi16(f[5], f[7])};
}

static inline struct lines high_lines(const __m128i f[8]) {
    return (struct lines){_mm_unpackhi_epi16(f[0], f[4]), _mm_unpackhi_epi16(f[2], f[6]),
                          _mm_unpackhi_epi16(f[1], f[3]), _mm_unpackhi_epi16(f[5], f[7])};
}

// Computes the points `i` and `7 - i` of four lines.
static inline void two_points(struct lines lines, int i, int shift, __m128i *point, __m128i *mirrored_point) {
    int mirrored = i < 2 ? i : 3 - i;
    __m128i sum = _mm_madd_epi16(lines.f04, ckernels_pair(one, mirrored == 0 ? one : -one));
    const int16_t *even_weight = even_weights[mirrored], *odd_weight = odd_weights[i];
    __m128i turned = _mm_madd_epi16(lines.f26, ckernels_pair(even_weight[0], even_weight[1]));
    __m128i even = i < 2 ? _mm_add_epi32(sum, turned) : _mm_sub_epi32(sum, turned);
    __m128i odd = _mm_add_epi32(_mm_madd_epi16(lines.f13, ckernels_pair(odd_weight[0], odd_weight[1])),
                                _mm_madd_epi16(lines.f57, ckernels_pair(odd_weight[2], odd_weight[3])));
    even = _mm_add_epi32(even, _mm_set1_epi32(1 << (shift - 1)));
    *point = _mm_srai_epi32(_mm_add_epi32(even, odd), shift);
    *mirrored_point = _mm_srai_epi32(_mm_sub_epi32(even, odd), shift);
}

// Replaces the frequencies of eight lines by their eight points.
static inline void eight_lines(__m128i f[8], int shift) {
    struct lines low = low_lines(f), high = high_lines(f);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m128i low_point, low_mirrored, high_point, high_mirrored;
        two_points(low, i, shift, &low_point, &low_mirrored);
        two_points(high, i, shift, &high_point, &high_mirrored);
        f[i] = _mm_packs_epi32(low_point, high_point);
        f[7 - i] = _mm_packs_epi32(low_mirrored, high_mirrored);
    }
}

// Transposes eight rows of eight words.
static inline void transpose(__m128i m[8]) {
    __m128i a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm_unpacklo_epi16(m[i], m[i + 4]);
        a[2 * i + 1] = _mm_unpackhi_epi16(m[i], m[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        b[2 * i] = _mm_unpacklo_epi16(a[i], a[i + 4]);
        b[2 * i + 1] = _mm_unpackhi_epi16(a[i], a[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        m[2 * i] = _mm_unpacklo_epi16(b[i], b[i + 4]);
        m[2 * i + 1] = _mm_unpackhi_epi16(b[i], b[i + 4]);
    }
}

void ckernels_inverse_dct_8x8(const int16_t *coefficients, uint8_t *samples, size_t stride) {
    __m128i block[8];
    for (size_t i = 0; i < 8; i++) block[i] = _mm_loadu_si128((const __m128i *)(coefficients + 8 * i));
    eight_lines(block, first_shift);
    transpose(block);
    eight_lines(block, second_shift);
    transpose(block);
    for (size_t y = 0; y < 8; y++) {
        __m128i row = _mm_adds_epi16(block[y], _mm_set1_epi16(128));
        _mm_storel_epi64((__m128i *)(samples + y * stride), _mm_packus_epi16(row, row));
    }
}

#else

void ckernels_inverse_dct_8x8(const int16_t *coefficients, uint8_t *samples, size_t stride) {
    ckernels_inverse_dct_8x8_portable(coefficients, samples, stride);
}

#endif

#include "ckernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The rounding and the shifts from the weights' fourteen fractional bits to a sample's six, and from both to none.
enum { half_of_blend = 1 << 7, blend_shift = 8, half_of_shrink = 1 << 19, shrink_shift = 20 };

static int16_t blend_column(const uint8_t *column, size_t stride, const int16_t *weights, size_t row_count) {
    int32_t sum = half_of_blend;
    for (size_t i = 0; i < row_count; i++) sum += weights[i] * column[i * stride];
    return (int16_t)(sum >> blend_shift);
}

void ckernels_blend_rows_portable(const uint8_t *rows, size_t stride, const int16_t *weights, size_t row_count,
                                  int16_t *blended, size_t count) {
    enum { block = 16 };
    size_t x = 0;
    for (; x + block <= count; x += block) {
        int32_t sums[block];
        for (size_t j = 0; j < block; j++) sums[j] = half_of_blend;
        for (size_t i = 0; i < row_count; i++)
            for (size_t j = 0; j < block; j++) sums[j] += weights[i] * rows[i * stride + x + j];
        for (size_t j = 0; j < block; j++) blended[x + j] = (int16_t)(sums[j] >> blend_shift);
    }
    for (; x < count; x++) blended[x] = blend_column(rows + x, stride, weights, row_count);
}

static uint8_t shrink_sample(const int16_t *row, const int16_t *weights, size_t taps) {
    int32_t sum = half_of_shrink;
    for (size_t i = 0; i < taps; i++) sum += row[i] * weights[i];
    sum >>= shrink_shift;
    return (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

void ckernels_shrink_row_portable(const int16_t *row, const uint32_t *starts, const int16_t *weights, size_t taps,
                                  uint8_t *shrunk, size_t count) {
    for (size_t x = 0; x < count; x++) shrunk[x] = shrink_sample(row + starts[x], weights + x * taps, taps);
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2")))

// Adds two rows' samples, each multiplied by its weight, to the sums of 16 columns: of 0–3 and 8–11, and of the others.
AVX2 static inline void add_two_rows(const uint8_t *first, const uint8_t *second, __m256i weights, __m256i sums[2]) {
    __m256i a = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)first));
    __m256i b = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)second));
    sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights));
    sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights));
}

AVX2 static inline void store_blended(__m256i sums[2], int16_t *blended) {
    __m256i low = _mm256_srai_epi32(sums[0], blend_shift), high = _mm256_srai_epi32(sums[1], blend_shift);
    _mm256_storeu_si256((__m256i *)blended, _mm256_packs_epi32(low, high));
}

AVX2 static void blend_rows_avx2(const uint8_t *rows, size_t stride, const int16_t *weights, size_t row_count,
                                 int16_t *blended, size_t count) {
    if (count < 32) {
        ckernels_blend_rows_portable(rows, stride, weights, row_count, blended, count);
        return;
    }
    for (size_t x = 0; x < count; x += 32) {
        if (x + 32 > count) x = count - 32;  // some columns are computed twice
        __m256i half = _mm256_set1_epi32(half_of_blend);
        __m256i left[2] = {half, half}, right[2] = {half, half};
        for (size_t i = 0; i < row_count; i += 2) {
            // If the number of rows is odd, the last one is used twice, the second time with a weight of zero.
            size_t next = i + 1 < row_count ? i + 1 : i;
            uint32_t second_weight = next > i ? (uint16_t)weights[next] : 0;
            __m256i pair = _mm256_set1_epi32((int32_t)(second_weight << 16 | (uint16_t)weights[i]));
            const uint8_t *first = rows + i * stride + x, *second = rows + next * stride + x;
            add_two_rows(first, second, pair, left);
            add_two_rows(first + 16, second + 16, pair, right);
        }
        store_blended(left, blended + x);
        store_blended(right, blended + x + 16);
    }
}

// Computes the eight partial sums of one sample.
AVX2 static inline __m256i sum_of_taps(const int16_t *row, const int16_t *weights, size_t taps) {
    __m256i sum = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 16 <= taps; i += 16) {
        __m256i samples = _mm256_loadu_si256((const __m256i *)(row + i));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(samples, _mm256_loadu_si256((const __m256i *)(weights + i))));
    }
    if (i == taps) return sum;
    __m128i samples = _mm_loadu_si128((const __m128i *)(row + i));
    __m128i rest = _mm_madd_epi16(samples, _mm_loadu_si128((const __m128i *)(weights + i)));
    return _mm256_add_epi32(sum, _mm256_zextsi128_si256(rest));
}

// Computes the sums of four samples, each still in two halves.
AVX2 static inline __m256i sums_of_four(const int16_t *row, const uint32_t *starts, const int16_t *weights,
                                        size_t taps) {
    __m256i a = sum_of_taps(row + starts[0], weights, taps);
    __m256i b = sum_of_taps(row + starts[1], weights + taps, taps);
    __m256i c = sum_of_taps(row + starts[2], weights + 2 * taps, taps);
    __m256i d = sum_of_taps(row + starts[3], weights + 3 * taps, taps);
    return _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
}

AVX2 static void shrink_row_avx2(const int16_t *row, const uint32_t *starts, const int16_t *weights, size_t taps,
                                 uint8_t *shrunk, size_t count) {
    if (count < 8) {
        ckernels_shrink_row_portable(row, starts, weights, taps, shrunk, count);
        return;
    }
    for (size_t x = 0; x < count; x += 8) {
        if (x + 8 > count) x = count - 8;  // some samples are computed twice
        __m256i left = sums_of_four(row, starts + x, weights + x * taps, taps);
        __m256i right = sums_of_four(row, starts + x + 4, weights + (x + 4) * taps, taps);
        __m256i sums = _mm256_add_epi32(_mm256_permute2x128_si256(left, right, 0x20),
                                        _mm256_permute2x128_si256(left, right, 0x31));
        sums = _mm256_srai_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(half_of_shrink)), shrink_shift);
        __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        _mm_storel_epi64((__m128i *)(shrunk + x), _mm_packus_epi16(words, words));
    }
}

#endif

void ckernels_blend_rows(const uint8_t *rows, size_t stride, const int16_t *weights, size_t row_count,
                         int16_t *blended, size_t count) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        blend_rows_avx2(rows, stride, weights, row_count, blended, count);
        return;
    }
#endif
    ckernels_blend_rows_portable(rows, stride, weights, row_count, blended, count);
}

void ckernels_shrink_row(const int16_t *row, const uint32_t *starts, const int16_t *weights, size_t taps,
                         uint8_t *shrunk, size_t count) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        shrink_row_avx2(row, starts, weights, taps, shrunk, count);
        return;
    }
#endif
    ckernels_shrink_row_portable(row, starts, weights, taps, shrunk, count);
}

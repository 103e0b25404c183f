#include "csha256.h"

#include <string.h>

enum { BLOCK = 64 };

// FIPS 180-4 §4.2.2.
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_big_endian(uint8_t *bytes, uint32_t word) {
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

// FIPS 180-4 §6.2.2; the schedule W is kept in a ring of 16 words.
void csha256_portable(uint32_t words[8], const uint8_t *blocks, size_t count) {
    for (; count > 0; count--, blocks += BLOCK) {
        uint32_t w[16];
        uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
        uint32_t e = words[4], f = words[5], g = words[6], h = words[7];
        for (int t = 0; t < 64; t++) {
            if (t < 16) {
                w[t] = big_endian(blocks + 4 * t);
            } else {
                uint32_t x = w[(t + 1) & 15], y = w[(t + 14) & 15];
                w[t & 15] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(t + 9) & 15]
                    + (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
            }
            uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + w[t & 15];
            uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
        }
        words[0] += a, words[1] += b, words[2] += c, words[3] += d;
        words[4] += e, words[5] += f, words[6] += g, words[7] += h;
    }
}

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>

// Computes four rounds per iteration with Intel's SHA extensions, which keep the words as ABEF and CDGH.
__attribute__((target("sha,sse4.1,ssse3"))) static void by_instructions(
    uint32_t words[8], const uint8_t *blocks, size_t count) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xB1);       // CDAB
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + 4)), 0x1B); // EFGH
    __m128i abef = _mm_alignr_epi8(low, high, 8);
    __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
    for (; count > 0; count--, blocks += BLOCK) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; i++) {
            if (i < 4) {
                w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), order);
            } else {
                // W(t-16) + s0(W(t-15)), then W(t-7), then s1(W(t-2)).
                __m128i sum = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
                sum = _mm_add_epi32(sum, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
                w[i & 3] = _mm_sha256msg2_epu32(sum, w[(i + 3) & 3]);
            }
            const __m128i wk = _mm_add_epi32(w[i & 3], _mm_loadu_si128((const __m128i *)(K + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    low = _mm_shuffle_epi32(abef, 0x1B);  // FEBA
    high = _mm_shuffle_epi32(cdgh, 0xB1); // DCHG
    _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(low, high, 0xF0));          // DCBA
    _mm_storeu_si128((__m128i *)(words + 4), _mm_alignr_epi8(high, low, 8));       // HGFE
}

// Whether the processor has the SHA extensions (leaf 7, EBX bit 29) and SSE 4.1 (leaf 1, ECX bit 19).
static int has_instructions(void) {
    unsigned int a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b >> 29 & 1)) return 0;
    return __get_cpuid(1, &a, &b, &c, &d) && c >> 19 & 1;
}

static void compress(uint32_t words[8], const uint8_t *blocks, size_t count) {
    // 0 before the first call; all threads compute the same result.
    static _Atomic int known = 0;
    if (known == 0) known = has_instructions() ? 1 : -1;
    (known > 0 ? by_instructions : csha256_portable)(words, blocks, count);
}
#else
#define compress csha256_portable
#endif

void csha256_begin(struct csha256_run *run) {
    // FIPS 180-4 §5.3.3.
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memset(run, 0, sizeof *run);
    memcpy(run->words, start, sizeof start);
}

void csha256_update(struct csha256_run *run, const void *bytes, size_t count) {
    if (count == 0) return;
    const uint8_t *rest = bytes;
    const size_t filled = run->byte_count % BLOCK;
    run->byte_count += count;
    if (filled > 0) {
        const size_t room = BLOCK - filled, taken = count < room ? count : room;
        memcpy(run->block + filled, rest, taken);
        rest += taken, count -= taken;
        if (taken < room) return;
        compress(run->words, run->block, 1);
    }
    compress(run->words, rest, count / BLOCK);
    memcpy(run->block, rest + count / BLOCK * BLOCK, count % BLOCK);
}

void csha256_end(struct csha256_run *run, uint8_t *digest) {
    // FIPS 180-4 §5.1.1: a bit, zeros, and the number of bits.
    const uint64_t bit_count = run->byte_count << 3;
    uint8_t padding[BLOCK + 8] = {0x80};
    const size_t filled = run->byte_count % BLOCK, zeros_end = (filled < 56 ? 56 : 120) - filled;
    put_big_endian(padding + zeros_end, (uint32_t)(bit_count >> 32));
    put_big_endian(padding + zeros_end + 4, (uint32_t)bit_count);
    csha256_update(run, padding, zeros_end + 8);
    for (int i = 0; i < 8; i++) put_big_endian(digest + 4 * i, run->words[i]);
}

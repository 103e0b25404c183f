#include "ckernels.h"

#include <string.h>

// Simple enough for the compiler to vectorise it for the processor's instructions.
static inline __attribute__((always_inline)) void split(const uint8_t *restrict pixels, size_t channels,
                                                        uint8_t *restrict planes, size_t stride, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t channel = 0; channel < channels; channel++)
            planes[channel * stride + i] = pixels[i * channels + channel];
}

static inline __attribute__((always_inline)) void split_three(const uint8_t *restrict pixels, uint8_t *restrict red,
                                                              uint8_t *restrict green, uint8_t *restrict blue,
                                                              size_t count) {
    for (size_t i = 0; i < count; i++) {
        red[i] = pixels[3 * i];
        green[i] = pixels[3 * i + 1];
        blue[i] = pixels[3 * i + 2];
    }
}

void ckernels_split_pixels_portable(const uint8_t *pixels, size_t channels, uint8_t *planes, size_t stride,
                                    size_t count) {
    split(pixels, channels, planes, stride, count);
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void split_three_avx2(const uint8_t *pixels, uint8_t *planes, size_t stride,
                                                             size_t count) {
    split_three(pixels, planes, planes + stride, planes + 2 * stride, count);
}

#endif

void ckernels_split_pixels(const uint8_t *pixels, size_t channels, uint8_t *planes, size_t stride, size_t count) {
    if (channels == 1) {
        memcpy(planes, pixels, count);
        return;
    }
#if defined(__x86_64__)
    if (channels == 3 && __builtin_cpu_supports("avx2")) {
        split_three_avx2(pixels, planes, stride, count);
        return;
    }
#endif
    ckernels_split_pixels_portable(pixels, channels, planes, stride, count);
}

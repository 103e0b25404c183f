#include "ckernels.h"

static void put(uint64_t color, size_t channels, uint8_t *planes, size_t stride) {
    planes[0] = (uint8_t)color;
    planes[stride] = (uint8_t)(color >> 16);
    planes[2 * stride] = (uint8_t)(color >> 32);
    if (channels == 4) planes[3 * stride] = (uint8_t)(color >> 48);
}

void ckernels_look_up_pixels(const uint8_t *indices, const uint64_t *colors, size_t channels, uint8_t *planes,
                             size_t stride, size_t count) {
    for (size_t i = 0; i < count; i++) put(colors[indices[i]], channels, planes + i, stride);
}

void ckernels_look_up_quads(const uint8_t *upper, const uint8_t *lower, const uint64_t *colors, size_t channels,
                            uint8_t *planes, size_t stride, size_t count) {
    // Four sums at once: each is at most 4 * 255 + 2, so it does not overflow into the next one's bits.
    const uint64_t half = 0x0002000200020002;
    size_t pairs = count / 2;
    for (size_t i = 0; i < pairs; i++) {
        uint64_t sum = colors[upper[2 * i]] + colors[upper[2 * i + 1]] + colors[lower[2 * i]] + colors[lower[2 * i + 1]];
        put((sum + half) >> 2, channels, planes + i, stride);
    }
    if (count % 2 == 1) {
        uint64_t sum = 2 * (colors[upper[count - 1]] + colors[lower[count - 1]]);
        put((sum + half) >> 2, channels, planes + pairs, stride);
    }
}

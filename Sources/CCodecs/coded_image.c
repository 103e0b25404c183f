#include "ccodecs_coded_image.h"

#include <string.h>

void ccodecs_coded_row(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                       const uint8_t *table, uint8_t *samples) {
    const uint8_t *start = plane->samples + row * plane->stride;
    if (table == NULL) {
        memcpy(samples, start + column, count);
        return;
    }
    if (plane->bits == 8) {
        for (uint32_t index = 0; index < count; index++) samples[index] = table[start[column + index]];
        return;
    }
    const uint16_t *wide = (const uint16_t *)start + column;
    uint16_t mask = (uint16_t)((1u << plane->bits) - 1);
    for (uint32_t index = 0; index < count; index++) samples[index] = table[wide[index] & mask];
}

void ccodecs_coded_levels(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                          const float *table, float *levels) {
    const uint8_t *start = plane->samples + row * plane->stride;
    if (plane->bits == 8) {
        for (uint32_t index = 0; index < count; index++) levels[index] = table[start[column + index]];
        return;
    }
    const uint16_t *wide = (const uint16_t *)start + column;
    uint16_t mask = (uint16_t)((1u << plane->bits) - 1);
    for (uint32_t index = 0; index < count; index++) levels[index] = table[wide[index] & mask];
}

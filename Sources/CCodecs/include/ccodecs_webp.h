// WebP, if libwebp is present.
#ifndef CCODECS_WEBP_H
#define CCODECS_WEBP_H

#include "ccodecs.h"

// Decodes a still image, or an animation's frame without its ANMF header, scaled to `layout` from the size `stored`,
// which must be its own. Three channels are RGB; four are premultiplied RGBA; one stands for the planes of a lossy
// image, one after the other: luma, and two colour differences with half as many samples along each side, rounded up,
// all in the limited range of ITU-R BT.601 (16 to 235, 16 to 240).
ccodecs_code ccodecs_webp_decode(const uint8_t *bytes, size_t count, ccodecs_layout stored, ccodecs_layout layout,
                                 uint8_t *samples, ccodecs_fault *fault);

// Encodes a lossy image of three (RGB) or four channels (RGBA, alpha not premultiplied). The caller frees `*encoded`
// with ccodecs_free.
ccodecs_code ccodecs_webp_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, uint8_t **encoded,
                                 size_t *encoded_count, ccodecs_fault *fault);
// The same from planes in limited range, none of which is NULL.
ccodecs_code ccodecs_webp_encode_planes(ccodecs_planes picture, int quality, uint8_t **encoded, size_t *encoded_count,
                                        ccodecs_fault *fault);

typedef struct ccodecs_webp_animation ccodecs_webp_animation;

// Begins an animation of three or four channels that is shown `loop_count` times; 0 means forever.
ccodecs_code ccodecs_webp_animation_open(ccodecs_layout layout, int quality, int loop_count,
                                         ccodecs_webp_animation **animation);
// Adds a complete image that is shown from a time on, in milliseconds after the start.
ccodecs_code ccodecs_webp_animation_add(ccodecs_webp_animation *animation, const uint8_t *pixels, int milliseconds,
                                        ccodecs_fault *fault);
// Ends the animation at a time, in milliseconds after the start. The caller frees `*encoded` with ccodecs_free.
ccodecs_code ccodecs_webp_animation_finish(ccodecs_webp_animation *animation, int milliseconds, uint8_t **encoded,
                                           size_t *encoded_count, ccodecs_fault *fault);
void ccodecs_webp_animation_close(ccodecs_webp_animation *animation);

#endif

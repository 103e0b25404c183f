// WebP, where libwebp is.
#ifndef CCODECS_WEBP_H
#define CCODECS_WEBP_H

#include "ccodecs.h"

// Decodes a still image, or an animation's frame without its ANMF header, scaled to `layout` from the size `stored`,
// which must be its own. With three channels RGB; with four premultiplied RGBA; with one the planes of a lossy
// image, one behind the other: luma, and two colour differences with half as many samples a side, rounded up, all in
// the narrow range of ITU-R BT.601 (16 to 235, 16 to 240).
ccodecs_code ccodecs_webp_decode(const uint8_t *bytes, size_t count, ccodecs_layout stored, ccodecs_layout layout,
                                 uint8_t *samples, ccodecs_fault *fault);

// Encodes a lossy image of three (RGB) or four channels (RGBA, alpha not premultiplied). `*encoded` is freed by
// ccodecs_free.
ccodecs_code ccodecs_webp_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, uint8_t **encoded,
                                 size_t *encoded_count, ccodecs_fault *fault);
// The same from planes in the narrow range, none of which is NULL.
ccodecs_code ccodecs_webp_encode_planes(ccodecs_planes picture, int quality, uint8_t **encoded, size_t *encoded_count,
                                        ccodecs_fault *fault);

typedef struct ccodecs_webp_animation ccodecs_webp_animation;

// Begins an animation of three or four channels, shown so many times; 0 is for ever.
ccodecs_code ccodecs_webp_animation_open(ccodecs_layout layout, int quality, int loop_count,
                                         ccodecs_webp_animation **animation);
// Adds a whole image that is shown from some milliseconds after the beginning on.
ccodecs_code ccodecs_webp_animation_add(ccodecs_webp_animation *animation, const uint8_t *pixels, int milliseconds,
                                        ccodecs_fault *fault);
// Ends the animation so long after its beginning. `*encoded` is freed by ccodecs_free.
ccodecs_code ccodecs_webp_animation_finish(ccodecs_webp_animation *animation, int milliseconds, uint8_t **encoded,
                                           size_t *encoded_count, ccodecs_fault *fault);
void ccodecs_webp_animation_close(ccodecs_webp_animation *animation);

#endif

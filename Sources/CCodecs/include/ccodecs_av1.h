// AV1, the images of AVIFs: decoded if libdav1d is present, encoded if libaom is present.
#ifndef CCODECS_AV1_H
#define CCODECS_AV1_H

#include "ccodecs_coded_image.h"

typedef struct ccodecs_av1_decoder ccodecs_av1_decoder;

// Decodes the last image of AV1's open bitstream units, none of which may have more than `max_pixels` pixels.
ccodecs_code ccodecs_av1_decode(const uint8_t *bytes, size_t count, size_t max_pixels, ccodecs_av1_decoder **decoder,
                                ccodecs_coded_image *picture, ccodecs_fault *fault);
void ccodecs_av1_close(ccodecs_av1_decoder *decoder);

// Encodes an image as AV1's open bitstream units, beginning with a temporal delimiter: grey, 4:2:0 or 4:4:4; sRGB with
// BT.601's matrix, in full range. The caller frees `*encoded` with ccodecs_free, whatever the result is.
ccodecs_code ccodecs_av1_encode(ccodecs_planes picture, int quality, uint8_t **encoded, size_t *encoded_count,
                                ccodecs_fault *fault);

#endif

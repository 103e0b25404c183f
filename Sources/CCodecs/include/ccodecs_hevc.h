// HEVC, the images of HEICs, where libde265 is.
#ifndef CCODECS_HEVC_H
#define CCODECS_HEVC_H

#include "ccodecs_coded_image.h"

typedef struct ccodecs_hevc_decoder ccodecs_hevc_decoder;

// Decodes the first image of HEVC's NAL units, each behind its length in four bytes.
ccodecs_code ccodecs_hevc_decode(const uint8_t *bytes, size_t count, ccodecs_hevc_decoder **decoder,
                                 ccodecs_coded_image *picture, ccodecs_fault *fault);
void ccodecs_hevc_close(ccodecs_hevc_decoder *decoder);

// libavcodec decodes HEVC in two thirds of libde265's time, where it is installed. It decodes one image after the other,
// and has no message for a fault: an image that it refuses is for `ccodecs_hevc_decode`.
typedef struct ccodecs_avcodec ccodecs_avcodec;
typedef struct ccodecs_avcodec_frame ccodecs_avcodec_frame;

// The first call of all loads the library. No image may have more pixels than that.
ccodecs_code ccodecs_avcodec_open(size_t max_pixels, ccodecs_avcodec **codec);
// Decodes one image's NAL units, with its parameter sets, each behind its length in four bytes. A frame may outlive the
// codec.
ccodecs_code ccodecs_avcodec_decode(ccodecs_avcodec *codec, const uint8_t *units, size_t count,
                                    ccodecs_avcodec_frame **frame, ccodecs_coded_image *picture);
void ccodecs_avcodec_release(ccodecs_avcodec_frame *frame);
void ccodecs_avcodec_close(ccodecs_avcodec *codec);

#endif

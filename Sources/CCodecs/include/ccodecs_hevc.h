// HEVC, the images of HEICs, if libde265 is present.
#ifndef CCODECS_HEVC_H
#define CCODECS_HEVC_H

#include "ccodecs_coded_image.h"

typedef struct ccodecs_hevc_decoder ccodecs_hevc_decoder;

// Decodes the first image of HEVC's NAL units, each preceded by its length in four bytes.
ccodecs_code ccodecs_hevc_decode(const uint8_t *bytes, size_t count, ccodecs_hevc_decoder **decoder,
                                 ccodecs_coded_image *picture, ccodecs_fault *fault);
void ccodecs_hevc_close(ccodecs_hevc_decoder *decoder);

// libavcodec, if it is installed, decodes HEVC in two thirds of libde265's time. It decodes one image after the other,
// and has no error messages: an image that it refuses must be decoded by `ccodecs_hevc_decode`.
typedef struct ccodecs_avcodec ccodecs_avcodec;
typedef struct ccodecs_avcodec_frame ccodecs_avcodec_frame;

// Opens a decoder; the first call loads the library. No image may have more than `max_pixels` pixels.
ccodecs_code ccodecs_avcodec_open(size_t max_pixels, ccodecs_avcodec **codec);
// Decodes one image's NAL units and parameter sets, each preceded by its length in four bytes. A frame may outlive the
// codec.
ccodecs_code ccodecs_avcodec_decode(ccodecs_avcodec *codec, const uint8_t *units, size_t count,
                                    ccodecs_avcodec_frame **frame, ccodecs_coded_image *picture);
void ccodecs_avcodec_release(ccodecs_avcodec_frame *frame);
void ccodecs_avcodec_close(ccodecs_avcodec *codec);

#endif

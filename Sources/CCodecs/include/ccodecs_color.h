// Colour conversion from a profile to sRGB, by lcms2.
#ifndef CCODECS_COLOR_H
#define CCODECS_COLOR_H

#include "ccodecs.h"

// A conversion from a profile's colours to sRGB. Once open it is never written to: any number of threads may use it.
typedef struct ccodecs_color ccodecs_color;

// The samples of a pixel. CMYK is stored inverted: 255 - ink.
typedef enum __attribute__((enum_extensibility(closed))) ccodecs_color_model {
    CCODECS_GREY,
    CCODECS_RGB,
    CCODECS_CMYK,
} ccodecs_color_model;

// Chromaticities, x and y each (CIE 1931).
typedef struct ccodecs_primaries {
    double white[2], red[2], green[2], blue[2];
} ccodecs_primaries;

// Opens an ICC profile, whose bytes are not needed afterwards; `*model` is the model that the profile describes.
ccodecs_code ccodecs_color_open(const uint8_t *bytes, size_t count, ccodecs_color **color,
                                ccodecs_color_model *model);
// Opens a conversion from RGB with the given primaries and exponent from samples to light; 0 means sRGB's own curve.
ccodecs_code ccodecs_color_open_primaries(ccodecs_primaries primaries, double exponent, ccodecs_color **color,
                                          ccodecs_color_model *model);
// Converts pixels of 1, 3 or 4 interleaved samples, depending on the model, to 3.
void ccodecs_color_convert(const ccodecs_color *color, const uint8_t *samples, uint8_t *rgb, size_t pixel_count);
void ccodecs_color_close(ccodecs_color *color);

#endif

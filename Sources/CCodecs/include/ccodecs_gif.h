// GIF, by giflib.
#ifndef CCODECS_GIF_H
#define CCODECS_GIF_H

#include "ccodecs.h"

typedef struct ccodecs_gif_decoder ccodecs_gif_decoder;

// A frame and its canvas.
typedef struct ccodecs_gif_info {
    uint32_t canvas_width, canvas_height;
    uint32_t left, top, width, height;
    bool is_interlaced;
    bool has_wide_codes;  // its indices are announced to have 9 to 11 bits: ccodecs_gif_read_line cannot read its rows
    int32_t transparent_index;  // -1: none
    uint32_t disposal;          // 2: its area is cleared after it was shown; 3: the previous content is restored
    uint32_t delay_centiseconds;
    uint8_t palette[256 * 3];   // RGB; black beyond the colours in the file, greys if it has none
} ccodecs_gif_info;

// Reads up to the first frame's pixels.
ccodecs_code ccodecs_gif_open(const uint8_t *bytes, size_t count, ccodecs_gif_decoder **decoder,
                              ccodecs_gif_info *info, ccodecs_fault *fault);
// Reads up to the next frame's pixels, after all lines of the last one were read, or none. `info` is the result of the
// previous call.
ccodecs_code ccodecs_gif_next(ccodecs_gif_decoder *decoder, ccodecs_gif_info *info, bool *has_frame,
                              ccodecs_fault *fault);
// The offset of the frame's first data block; valid until a line of it is read.
size_t ccodecs_gif_data_offset(const ccodecs_gif_decoder *decoder);
// Reads the frame's next stored line: `width` palette indices, in stored (perhaps interlaced) order.
ccodecs_code ccodecs_gif_read_line(ccodecs_gif_decoder *decoder, uint8_t *indices, ccodecs_fault *fault);
void ccodecs_gif_close(ccodecs_gif_decoder *decoder);

#endif

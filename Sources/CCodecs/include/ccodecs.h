// Fences around libjpeg, libpng, giflib, lcms2, zlib and, where they are, libwebp, libde265, libdav1d and libavcodec.
//
// libjpeg and libpng report errors by longjmp, which must never cross a Swift frame. Every function here runs
// one sequence of library calls under its own setjmp and returns a code; the caller's `ccodecs_fault` says why.
// Nothing here decides what is acceptable: limits come from the caller, warnings are counted and handed back.
// Nothing is ever printed. A decoder borrows the bytes it was opened on: they must outlive it. A decoder is used
// by one thread at a time; different decoders share nothing.
//
// This header has what the fences have in common; each library has a header of its own beside it.
#ifndef CCODECS_H
#define CCODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((enum_extensibility(closed))) ccodecs_code {
    CCODECS_OK = 0,
    CCODECS_CORRUPT,          // the data breaks its format's rules
    CCODECS_TRUNCATED,        // the library asked for bytes beyond the end
    CCODECS_UNSUPPORTED,      // well formed, but of a kind that the library does not handle
    CCODECS_TOO_MANY_SCANS,   // more scans than the caller allows (JPEG)
    CCODECS_TOO_MUCH_MEMORY,  // more working memory than the caller allows
    CCODECS_OUT_OF_MEMORY,    // the system has no memory left
} ccodecs_code;

// What went wrong, in the library's own words: NUL-terminated, empty when nothing did.
typedef struct ccodecs_fault {
    char message[200];
} ccodecs_fault;

// How the rows of a decoded image are laid out: `channels` interleaved bytes a pixel.
typedef struct ccodecs_layout {
    uint32_t width;
    uint32_t height;
    uint32_t channels;
} ccodecs_layout;

// An image as planes, row by row: luma, and colour differences with as many samples, or half as many a side, rounded up.
typedef struct ccodecs_planes {
    const uint8_t *luma;
    const uint8_t *blue;  // NULL: a grey image
    const uint8_t *red;
    uint32_t width;
    uint32_t height;
    bool is_chroma_full;
} ccodecs_planes;

// Frees what an encoder or `ccodecs_inflate` made.
void ccodecs_free(void *memory);

#endif

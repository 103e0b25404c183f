// Safe wrappers for libjpeg, libpng, giflib, lcms2, zlib and, if present, libwebp, libde265, libdav1d and libavcodec.
//
// libjpeg and libpng report errors by longjmp, which must never cross a Swift frame. Every function here runs one
// sequence of library calls under its own setjmp and returns a code; the caller's `ccodecs_fault` contains the reason.
// The functions do not decide what is acceptable: limits are set by the caller, and warnings are counted and returned.
// They never print anything. A decoder borrows the bytes that it was opened with, which must outlive it. A decoder may
// be used by one thread at a time; different decoders share nothing.
//
// This header contains the common declarations; each library has a header of its own beside it.
#ifndef CCODECS_H
#define CCODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((enum_extensibility(closed))) ccodecs_code {
    CCODECS_OK = 0,
    CCODECS_CORRUPT,          // the data violates its format's rules
    CCODECS_TRUNCATED,        // the library tried to read beyond the end
    CCODECS_UNSUPPORTED,      // well formed, but of a kind that the library does not support
    CCODECS_TOO_MANY_SCANS,   // more scans than the caller allows (JPEG)
    CCODECS_TOO_MUCH_MEMORY,  // more working memory than the caller allows
    CCODECS_OUT_OF_MEMORY,    // the system is out of memory
} ccodecs_code;

// The library's own error message: NUL-terminated, empty if there was no error.
typedef struct ccodecs_fault {
    char message[200];
} ccodecs_fault;

// The layout of the rows of a decoded image: `channels` interleaved bytes per pixel.
typedef struct ccodecs_layout {
    uint32_t width;
    uint32_t height;
    uint32_t channels;
} ccodecs_layout;

// An image as planes, row by row: luma, and colour differences with as many samples, or half as many along each side,
// rounded up.
typedef struct ccodecs_planes {
    const uint8_t *luma;
    const uint8_t *blue;  // NULL: a grey image
    const uint8_t *red;
    uint32_t width;
    uint32_t height;
    bool is_chroma_full;
} ccodecs_planes;

// Frees the output of an encoder or of `ccodecs_inflate`.
void ccodecs_free(void *memory);

#endif

#include "ccodecs_inflate.h"

#include <libdeflate.h>

ccodecs_code ccodecs_inflate_whole(const uint8_t *packed, size_t packed_count, uint8_t *bytes, size_t count) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (decompressor == NULL) return CCODECS_OUT_OF_MEMORY;
    // Without a pointer for the resulting count, any other number of bytes is a failure.
    enum libdeflate_result result = libdeflate_zlib_decompress(decompressor, packed, packed_count, bytes, count, NULL);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS ? CCODECS_OK : CCODECS_CORRUPT;
}

uint32_t ccodecs_crc32(const uint8_t *bytes, size_t count) { return libdeflate_crc32(0, bytes, count); }

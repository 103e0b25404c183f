// Compressed data: zlib streams and their checksums, by zlib and libdeflate.
#ifndef CCODECS_INFLATE_H
#define CCODECS_INFLATE_H

#include "ccodecs.h"

// Decompresses a zlib stream. The caller frees `*bytes` with ccodecs_free, whatever the result is.
ccodecs_code ccodecs_inflate(const uint8_t *packed, size_t packed_count, size_t max_bytes, uint8_t **bytes,
                             size_t *count);
// Decompresses a zlib stream of a known decompressed length: faster; fails if the length differs.
ccodecs_code ccodecs_inflate_whole(const uint8_t *packed, size_t packed_count, uint8_t *bytes, size_t count);
// The checksum of ISO 3309, which PNG uses.
uint32_t ccodecs_crc32(const uint8_t *bytes, size_t count);

#endif

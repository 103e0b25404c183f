// Packed data: zlib streams and their checksums, by zlib and libdeflate.
#ifndef CCODECS_INFLATE_H
#define CCODECS_INFLATE_H

#include "ccodecs.h"

// Unpacks a zlib stream. `*bytes` is freed by ccodecs_free, whatever is returned.
ccodecs_code ccodecs_inflate(const uint8_t *packed, size_t packed_count, size_t max_bytes, uint8_t **bytes,
                             size_t *count);
// Unpacks a zlib stream of which it is known how many bytes it gives: faster, and a failure when it gives more or less.
ccodecs_code ccodecs_inflate_whole(const uint8_t *packed, size_t packed_count, uint8_t *bytes, size_t count);
// The checksum of ISO 3309, as PNG has it.
uint32_t ccodecs_crc32(const uint8_t *bytes, size_t count);

#endif

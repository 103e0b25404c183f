#include "ccodecs_inflate.h"

#include <limits.h>
#include <stdlib.h>

#include <zlib.h>

// Doubles the size of the buffer, up to the limit.
static ccodecs_code grow(uint8_t **bytes, size_t *capacity, size_t max_bytes) {
    if (*capacity >= max_bytes) return CCODECS_TOO_MUCH_MEMORY;
    size_t wanted = *capacity == 0 ? 16 * 1024 : *capacity * 2;
    if (wanted > max_bytes) wanted = max_bytes;
    uint8_t *grown = realloc(*bytes, wanted);
    if (grown == NULL) return CCODECS_OUT_OF_MEMORY;
    *bytes = grown;
    *capacity = wanted;
    return CCODECS_OK;
}

static ccodecs_code run(z_stream *stream, size_t max_bytes, uint8_t **bytes, size_t *count) {
    size_t capacity = 0;
    for (;;) {
        if (*count == capacity) {
            ccodecs_code code = grow(bytes, &capacity, max_bytes);
            if (code != CCODECS_OK) return code;
        }
        stream->next_out = *bytes + *count;
        stream->avail_out = (uInt)(capacity - *count);
        int result = inflate(stream, Z_NO_FLUSH);
        *count = capacity - stream->avail_out;
        if (result == Z_STREAM_END) return CCODECS_OK;
        if (result == Z_MEM_ERROR) return CCODECS_OUT_OF_MEMORY;
        if (result == Z_BUF_ERROR || (result == Z_OK && stream->avail_out > 0)) return CCODECS_TRUNCATED;
        if (result != Z_OK) return CCODECS_CORRUPT;
    }
}

ccodecs_code ccodecs_inflate(const uint8_t *packed, size_t packed_count, size_t max_bytes, uint8_t **bytes,
                             size_t *count) {
    *bytes = NULL;
    *count = 0;
    if (packed_count > UINT_MAX || max_bytes > UINT_MAX) return CCODECS_TOO_MUCH_MEMORY;
    z_stream stream = {.next_in = (z_const Bytef *)packed, .avail_in = (uInt)packed_count};
    if (inflateInit(&stream) != Z_OK) return CCODECS_OUT_OF_MEMORY;
    ccodecs_code code = run(&stream, max_bytes, bytes, count);
    inflateEnd(&stream);
    return code;
}

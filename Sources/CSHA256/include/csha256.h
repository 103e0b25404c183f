// SHA-256 (FIPS 180-4) with a state that is plain data, so that a run can be stored and continued in another process.
// libcrypto has no such state: an EVP_MD_CTX cannot be stored.

#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// The state of a run between two calls. Its words have the machine's byte order.
struct csha256_run {
    /// The hash value H of the blocks so far.
    uint32_t words[8];
    /// The number of bytes so far; the last `byte_count % 64` of them are in `block`.
    uint64_t byte_count;
    /// The bytes of the incomplete block.
    uint8_t block[64];
};

/// Begins a run.
void csha256_begin(struct csha256_run *run);

/// Adds bytes to a run.
void csha256_update(struct csha256_run *run, const void *bytes, size_t count);

/// Ends a run and writes its digest of 32 bytes.
void csha256_end(struct csha256_run *run, uint8_t *digest);

/// Adds whole blocks to a hash value in plain C, as on machines without SHA instructions; public for tests.
void csha256_portable(uint32_t words[8], const uint8_t *blocks, size_t count);

#endif

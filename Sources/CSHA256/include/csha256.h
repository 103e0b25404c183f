// SHA-256 (FIPS 180-4) whose state is plain data, so that a run can be written down and gone on with in another process.
// libcrypto has no such run: an EVP_MD_CTX cannot be written down.

#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// A run between two calls. Its words have the machine's byte order.
struct csha256_run {
    /// The hash value H of the blocks so far.
    uint32_t words[8];
    /// The number of bytes so far; the last `byte_count % 64` of them are in `block`.
    uint64_t byte_count;
    /// The bytes of the block that is not full yet.
    uint8_t block[64];
};

/// Begins a run.
void csha256_begin(struct csha256_run *run);

/// Takes in bytes.
void csha256_update(struct csha256_run *run, const void *bytes, size_t count);

/// Ends a run, and writes its digest of 32 bytes.
void csha256_end(struct csha256_run *run, uint8_t *digest);

/// Takes whole blocks into a hash value by plain C, as machines do that have no instructions for it; for tests.
void csha256_portable(uint32_t words[8], const uint8_t *blocks, size_t count);

#endif

// From the distribution's libcrypto, and nothing to compile here: digests, message authentication, signatures, keys,
// random bytes, scrypt, and AES for hashes of others.
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

// SHA-256 whose state is plain data, so that a run can be written down and gone on with in another process. OpenSSL has
// nothing in place of these calls, which it calls deprecated since 3.0: an EVP_MD_CTX cannot be written down.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static inline void csystemcrypto_sha256_begin(SHA256_CTX *run) { SHA256_Init(run); }

static inline void csystemcrypto_sha256_update(SHA256_CTX *run, const void *bytes, size_t count) {
    SHA256_Update(run, bytes, count);
}

/// Writes 32 bytes.
static inline void csystemcrypto_sha256_end(SHA256_CTX *run, unsigned char *digest) { SHA256_Final(digest, run); }

#pragma clang diagnostic pop

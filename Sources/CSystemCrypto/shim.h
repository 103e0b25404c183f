// The distribution's libcrypto; nothing is compiled here: digests, message authentication, signatures, keys, random
// bytes, scrypt, and AES for password hashes of other systems.
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

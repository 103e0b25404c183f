// SHA-256 from the distribution's libcrypto: hardware-accelerated, and nothing to compile here.
#include <openssl/evp.h>

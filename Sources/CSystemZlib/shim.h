#ifndef CSYSTEM_ZLIB_SHIM_H
#define CSYSTEM_ZLIB_SHIM_H

#include <zlib.h>

#endif

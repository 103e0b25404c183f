#ifndef CSYSTEM_DEFLATE_SHIM_H
#define CSYSTEM_DEFLATE_SHIM_H

#include <libdeflate.h>

#endif

#ifndef CSYSTEM_PNG_SHIM_H
#define CSYSTEM_PNG_SHIM_H

#include <png.h>

#endif

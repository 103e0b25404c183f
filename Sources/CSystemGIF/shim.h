#ifndef CSYSTEM_GIF_SHIM_H
#define CSYSTEM_GIF_SHIM_H

#include <gif_lib.h>

#endif

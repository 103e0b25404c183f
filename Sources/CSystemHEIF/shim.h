#ifndef CSYSTEM_HEIF_SHIM_H
#define CSYSTEM_HEIF_SHIM_H

#include <libheif/heif.h>

#endif

#ifndef CSYSTEM_DAV1D_SHIM_H
#define CSYSTEM_DAV1D_SHIM_H

#include <dav1d/dav1d.h>

#endif

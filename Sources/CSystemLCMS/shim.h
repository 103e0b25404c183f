#ifndef CSYSTEM_LCMS_SHIM_H
#define CSYSTEM_LCMS_SHIM_H

#include <lcms2.h>

#endif

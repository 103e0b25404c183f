#ifndef CSYSTEM_AOM_SHIM_H
#define CSYSTEM_AOM_SHIM_H

#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

#endif

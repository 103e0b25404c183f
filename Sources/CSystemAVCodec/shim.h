#ifndef CSYSTEM_AVCODEC_SHIM_H
#define CSYSTEM_AVCODEC_SHIM_H

#include <libavcodec/avcodec.h>

#endif

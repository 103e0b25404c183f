#ifndef CSYSTEM_DE265_SHIM_H
#define CSYSTEM_DE265_SHIM_H

#include <libde265/de265.h>

#endif

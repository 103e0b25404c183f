#ifndef CSYSTEM_JPEG_SHIM_H
#define CSYSTEM_JPEG_SHIM_H

// jpeglib.h uses FILE and size_t without including what declares them.
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

#endif

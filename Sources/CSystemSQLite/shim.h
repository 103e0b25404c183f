#ifndef CSYSTEM_SQLITE_SHIM_H
#define CSYSTEM_SQLITE_SHIM_H

#include <sqlite3.h>

#endif

#ifndef CSYSTEM_SQLITE_SHIM_H
#define CSYSTEM_SQLITE_SHIM_H

#include <sqlite3.h>

/// Calls sqlite3_db_config without varargs, so that closing the connection makes no checkpoint and keeps the log.
static inline int csystem_sqlite_keep_log_on_close(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif

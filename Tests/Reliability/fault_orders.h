// The orders by which file operations of this process fail.
//
// Only files below TINTYPE_FAULTS_ROOT are concerned. The orders are in the file TINTYPE_FAULTS, which the test has mapped
// as well: see `struct control`, and `Faults` in disk_faults.py. Without an order a call costs one look at memory.
#ifndef FAULT_ORDERS_H
#define FAULT_ORDERS_H

enum operation { OPEN, CREATE, READ, WRITE, FSYNC, TRUNCATE, RENAME, LINK, UNLINK, MKDIR, ALLOCATE, MMAP, CLOSE, OPERATIONS };

// Whether the order strikes such a call, on an open file, on a name in a folder, or on a name that is moved to another;
// with errno set to the order's, if it has one, and untouched when it does not strike.
int strikes_descriptor(enum operation operation, int descriptor);
int strikes_name(enum operation operation, int folder, const char *name);
int strikes_either(enum operation operation, int from, const char *name, int to, const char *new_name);

// The order's errno; 0 when a write is to take half of the bytes.
int fault_error(void);

#endif

// The orders that make file operations of this process fail.
//
// They apply only to files below TINTYPE_FAULTS_ROOT. The orders are in the file TINTYPE_FAULTS, which the test has mapped
// as well: see `struct control`, and `Faults` in disk_faults.py. Without an order a call costs one read of memory.
#ifndef FAULT_ORDERS_H
#define FAULT_ORDERS_H

enum operation { OPEN, CREATE, READ, WRITE, FSYNC, TRUNCATE, RENAME, LINK, UNLINK, MKDIR, ALLOCATE, MMAP, CLOSE, OPERATIONS };

// Whether the order makes such a call fail, on an open file, on a name in a folder, or on a name that is moved to another.
// Sets errno to the order's, if it has one, and leaves it unchanged when the call does not fail.
int strikes_descriptor(enum operation operation, int descriptor);
int strikes_name(enum operation operation, int folder, const char *name);
int strikes_either(enum operation operation, int from, const char *name, int to, const char *new_name);

// The order's errno; 0 when a write should write half of the bytes.
int fault_error(void);

#endif

// Makes file operations of a process fail, by the orders of the test that started it (LD_PRELOAD).
//
// Each function here replaces the C library's, and checks the orders (fault_orders.h) for whether the call must fail.

#define _GNU_SOURCE
#include "fault_orders.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// Opening. Creating a file and only opening it are two operations.

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    } \
    enum operation operation = (flags) & O_CREAT ? CREATE : OPEN

#define DEFINE_OPEN(name) \
    int name(const char *path, int flags, ...) { \
        MODE(flags); \
        if (strikes_name(operation, AT_FDCWD, path)) return -1; \
        REAL(int, #name, const char *, int, ...); \
        return real(path, flags, mode); \
    }

#define DEFINE_OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        MODE(flags); \
        if (strikes_name(operation, folder, path)) return -1; \
        REAL(int, #name, int, const char *, int, ...); \
        return real(folder, path, flags, mode); \
    }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

// Reading and writing.

#define DEFINE_ON_DESCRIPTOR(type, name, operation, parameters, arguments, ...) \
    type name parameters { \
        if (strikes_descriptor(operation, descriptor)) return -1; \
        REAL(type, #name, __VA_ARGS__); \
        return real arguments; \
    }

DEFINE_ON_DESCRIPTOR(ssize_t, read, READ, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count),
                     int, void *, size_t)
DEFINE_ON_DESCRIPTOR(ssize_t, pread, READ, (int descriptor, void *bytes, size_t count, off_t offset),
                     (descriptor, bytes, count, offset), int, void *, size_t, off_t)
DEFINE_ON_DESCRIPTOR(ssize_t, pread64, READ, (int descriptor, void *bytes, size_t count, off64_t offset),
                     (descriptor, bytes, count, offset), int, void *, size_t, off64_t)
DEFINE_ON_DESCRIPTOR(ssize_t, readv, READ, (int descriptor, const struct iovec *pieces, int count),
                     (descriptor, pieces, count), int, const struct iovec *, int)

// A write fails, or writes half.
#define DEFINE_WRITE(name, parameters, arguments, ...) \
    ssize_t name parameters { \
        if (strikes_descriptor(WRITE, descriptor)) { \
            if (fault_error()) return -1; \
            count = count > 1 ? count / 2 : count; \
        } \
        REAL(ssize_t, #name, __VA_ARGS__); \
        return real arguments; \
    }

DEFINE_WRITE(write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count), int, const void *, size_t)
DEFINE_WRITE(pwrite, (int descriptor, const void *bytes, size_t count, off_t offset), (descriptor, bytes, count, offset),
             int, const void *, size_t, off_t)
DEFINE_WRITE(pwrite64, (int descriptor, const void *bytes, size_t count, off64_t offset),
             (descriptor, bytes, count, offset), int, const void *, size_t, off64_t)
DEFINE_WRITE(writev, (int descriptor, const struct iovec *pieces, int count), (descriptor, pieces, count),
             int, const struct iovec *, int)

DEFINE_ON_DESCRIPTOR(int, fsync, FSYNC, (int descriptor), (descriptor), int)
DEFINE_ON_DESCRIPTOR(int, fdatasync, FSYNC, (int descriptor), (descriptor), int)
DEFINE_ON_DESCRIPTOR(int, ftruncate, TRUNCATE, (int descriptor, off_t length), (descriptor, length), int, off_t)
DEFINE_ON_DESCRIPTOR(int, ftruncate64, TRUNCATE, (int descriptor, off64_t length), (descriptor, length), int, off64_t)
DEFINE_ON_DESCRIPTOR(int, fallocate, ALLOCATE, (int descriptor, int mode, off_t offset, off_t length),
                     (descriptor, mode, offset, length), int, int, off_t, off_t)

// This one returns its error.
int posix_fallocate(int descriptor, off_t offset, off_t length) {
    if (strikes_descriptor(ALLOCATE, descriptor)) return fault_error();
    REAL(int, "posix_fallocate", int, off_t, off_t);
    return real(descriptor, offset, length);
}

int close(int descriptor) {
    int fails = strikes_descriptor(CLOSE, descriptor);
    int error = errno;
    REAL(int, "close", int);
    int result = real(descriptor);  // Linux closes it in any case.
    if (!fails) return result;
    errno = error;
    return -1;
}

#define DEFINE_MMAP(name, offset_type) \
    void *name(void *address, size_t length, int protection, int flags, int descriptor, offset_type offset) { \
        if (descriptor >= 0 && strikes_descriptor(MMAP, descriptor)) return MAP_FAILED; \
        REAL(void *, #name, void *, size_t, int, int, int, offset_type); \
        return real(address, length, protection, flags, descriptor, offset); \
    }

DEFINE_MMAP(mmap, off_t)
DEFINE_MMAP(mmap64, off64_t)

// Names. Moving affects both ends.

int rename(const char *from, const char *to) {
    if (strikes_either(RENAME, AT_FDCWD, from, AT_FDCWD, to)) return -1;
    REAL(int, "rename", const char *, const char *);
    return real(from, to);
}

int renameat(int from, const char *name, int to, const char *new_name) {
    if (strikes_either(RENAME, from, name, to, new_name)) return -1;
    REAL(int, "renameat", int, const char *, int, const char *);
    return real(from, name, to, new_name);
}

int renameat2(int from, const char *name, int to, const char *new_name, unsigned flags) {
    if (strikes_either(RENAME, from, name, to, new_name)) return -1;
    REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
    return real(from, name, to, new_name, flags);
}

int link(const char *from, const char *to) {
    if (strikes_either(LINK, AT_FDCWD, from, AT_FDCWD, to)) return -1;
    REAL(int, "link", const char *, const char *);
    return real(from, to);
}

int linkat(int from, const char *name, int to, const char *new_name, int flags) {
    if (strikes_either(LINK, from, name, to, new_name)) return -1;
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return real(from, name, to, new_name, flags);
}

int unlink(const char *path) {
    if (strikes_name(UNLINK, AT_FDCWD, path)) return -1;
    REAL(int, "unlink", const char *);
    return real(path);
}

int rmdir(const char *path) {
    if (strikes_name(UNLINK, AT_FDCWD, path)) return -1;
    REAL(int, "rmdir", const char *);
    return real(path);
}

int unlinkat(int folder, const char *path, int flags) {
    if (strikes_name(UNLINK, folder, path)) return -1;
    REAL(int, "unlinkat", int, const char *, int);
    return real(folder, path, flags);
}

int mkdir(const char *path, mode_t mode) {
    if (strikes_name(MKDIR, AT_FDCWD, path)) return -1;
    REAL(int, "mkdir", const char *, mode_t);
    return real(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    if (strikes_name(MKDIR, folder, path)) return -1;
    REAL(int, "mkdirat", int, const char *, mode_t);
    return real(folder, path, mode);
}

// Makes file operations of a process fail, on the orders of the test that started it (LD_PRELOAD).
//
// Only files below TINTYPE_FAULTS_ROOT are concerned. The orders are in the file TINTYPE_FAULTS, which both have mapped:
// see `struct control`, and `Faults` in disk_faults.py. Without an order a call costs one look at memory.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum operation { OPEN, CREATE, READ, WRITE, FSYNC, TRUNCATE, RENAME, LINK, UNLINK, MKDIR, ALLOCATE, MMAP, CLOSE, OPERATIONS };

enum place { PART = 1, BLOBS = 2, INCOMING = 4, INBOX = 8, PUT_AWAY = 16, DATABASE = 32, LOG = 64, INDEX = 128, FOLDER = 256 };

struct control {
    _Atomic uint32_t is_active;
    uint32_t operation;      // enum operation
    uint32_t places;         // a path strikes that has all of these; 0 for any path
    int32_t error;           // errno; 0 for a write of half of the bytes
    uint32_t first;          // the first call to strike, from 1
    uint32_t times;          // how many calls to strike; 0 for all from the first on
    _Atomic uint32_t matched;
    _Atomic uint32_t struck;
    _Atomic uint32_t calls[OPERATIONS];  // all calls below the root that this library has seen
};

static struct control *control;
static char root[PATH_MAX];
static size_t root_length;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TINTYPE_FAULTS"), *folder = getenv("TINTYPE_FAULTS_ROOT");
    if (!path || !folder || !realpath(folder, root)) return;
    root_length = strlen(root);
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int file = real_open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) control = mapped;
    int (*real_close)(int) = dlsym(RTLD_NEXT, "close");
    real_close(file);
}

// What a path is, if it is below the root: `place` bits, and a bit of its own so that it is never 0.
static uint32_t places_of(const char *path) {
    if (strncmp(path, root, root_length) != 0 || (path[root_length] != '/' && path[root_length] != 0)) return 0;
    const char *name = path + root_length + (path[root_length] == '/');
    uint32_t places = 1u << 31;
    if (strstr(name, ".part")) places |= PART;
    if (strncmp(name, "blobs", 5) == 0) places |= BLOBS;
    if (strncmp(name, "incoming", 8) == 0) places |= INCOMING;
    if (strncmp(name, "inbox", 5) == 0) places |= INBOX;
    if (strncmp(name, "done", 4) == 0 || strncmp(name, "failed", 6) == 0) places |= PUT_AWAY;
    if (strcmp(name, "tree.sqlite") == 0) places |= DATABASE;
    if (strcmp(name, "tree.sqlite-wal") == 0) places |= LOG;
    if (strcmp(name, "tree.sqlite-shm") == 0) places |= INDEX;
    return places;
}

static uint32_t places_of_descriptor(int descriptor) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    uint32_t places = places_of(path);
    struct stat status;
    if (places && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) places |= FOLDER;
    return places;
}

static uint32_t places_of_name(int folder, const char *name) {
    char path[PATH_MAX * 2];
    if (name[0] == '/') return places_of(name);
    ssize_t length;
    if (folder == AT_FDCWD) {
        if (!getcwd(path, PATH_MAX)) return 0;
        length = strlen(path);
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        length = readlink(link, path, PATH_MAX - 1);
        if (length <= 0) return 0;
    }
    snprintf(path + length, sizeof path - length, "/%s", name);
    return places_of(path);
}

// Whether the order is about such a call, before its path is looked at.
static int concerns(enum operation operation) {
    return control && atomic_load_explicit(&control->is_active, memory_order_acquire) && control->operation == operation;
}

// Whether the call has to fail; with errno set, if the order has one.
static int strikes(enum operation operation, uint32_t places) {
    if (!places) return 0;
    atomic_fetch_add(&control->calls[operation], 1);
    if ((places & control->places) != control->places) return 0;
    uint32_t match = atomic_fetch_add(&control->matched, 1) + 1;
    if (match < control->first || (control->times && match >= control->first + control->times)) return 0;
    atomic_fetch_add(&control->struck, 1);
    if (control->error) errno = control->error;
    return 1;
}

static int strikes_descriptor(enum operation operation, int descriptor) {
    int saved = errno;
    if (concerns(operation) && strikes(operation, places_of_descriptor(descriptor))) return 1;
    errno = saved;
    return 0;
}

static int strikes_name(enum operation operation, int folder, const char *name) {
    int saved = errno;
    if (concerns(operation) && strikes(operation, places_of_name(folder, name))) return 1;
    errno = saved;
    return 0;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// Opening. A file is created, or only opened: two operations.

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
            if (control->error) return -1; \
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
    if (strikes_descriptor(ALLOCATE, descriptor)) return control->error;
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

// Names. Moving concerns both ends.

static int strikes_either(enum operation operation, int from, const char *name, int to, const char *new_name) {
    int saved = errno;
    if (concerns(operation)) {
        uint32_t places = places_of_name(from, name) | places_of_name(to, new_name);
        if (strikes(operation, places)) return 1;
    }
    errno = saved;
    return 0;
}

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

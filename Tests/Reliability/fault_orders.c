#define _GNU_SOURCE
#include "fault_orders.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum place { PART = 1, BLOBS = 2, INCOMING = 4, INBOX = 8, PUT_AWAY = 16, DATABASE = 32, LOG = 64, INDEX = 128, FOLDER = 256 };

struct control {
    _Atomic uint32_t is_active;
    uint32_t operation;      // enum operation
    uint32_t places;         // the bits that a path must have to fail; 0 for any path
    int32_t error;           // errno; 0 for a write of half of the bytes
    uint32_t first;          // the first call that fails, from 1
    uint32_t times;          // the number of calls that fail; 0 for all from the first on
    _Atomic uint32_t matched;
    _Atomic uint32_t struck;
    _Atomic uint32_t calls[OPERATIONS];  // the calls below the root so far
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

// The bits of a path below the root: `place` bits, and another bit, so that the result is never 0 for such a path.
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

// Whether the order applies to such a call, before its path is examined.
static int concerns(enum operation operation) {
    return control && atomic_load_explicit(&control->is_active, memory_order_acquire) && control->operation == operation;
}

// Whether the call must fail; sets errno, if the order has one.
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

int strikes_descriptor(enum operation operation, int descriptor) {
    int saved = errno;
    if (concerns(operation) && strikes(operation, places_of_descriptor(descriptor))) return 1;
    errno = saved;
    return 0;
}

int strikes_name(enum operation operation, int folder, const char *name) {
    int saved = errno;
    if (concerns(operation) && strikes(operation, places_of_name(folder, name))) return 1;
    errno = saved;
    return 0;
}

int strikes_either(enum operation operation, int from, const char *name, int to, const char *new_name) {
    int saved = errno;
    if (concerns(operation)) {
        uint32_t places = places_of_name(from, name) | places_of_name(to, new_name);
        if (strikes(operation, places)) return 1;
    }
    errno = saved;
    return 0;
}

int fault_error(void) { return control->error; }

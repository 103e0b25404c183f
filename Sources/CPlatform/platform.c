#include "cplatform.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int cplatform_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to) {
    if (renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -errno;
    }
    struct stat status;
    if (fstatat(to_directory, to, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        return -EEXIST;
    }
    return renameat(from_directory, from, to_directory, to) == 0 ? 0 : -errno;
}

int cplatform_openat(int directory, const char *name, int flags, unsigned int mode) {
    int descriptor;
    do {
        descriptor = openat(directory, name, flags, mode);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor >= 0 ? descriptor : -errno;
}

int cplatform_has_writer(int descriptor) {
    signal(SIGIO, SIG_IGN);
    if (fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0) {
        fcntl(descriptor, F_SETLEASE, F_UNLCK);
        return 0;
    }
    return errno == EAGAIN ? 1 : -errno;
}

int cplatform_replace(int descriptor, int other) { return dup3(other, descriptor, O_CLOEXEC) < 0 ? -errno : 0; }

void cplatform_heap_configure(void) {
    mallopt(M_ARENA_MAX, 4);
}

unsigned long cplatform_heap_free_bytes(void) {
    return mallinfo2().fordblks;
}

void cplatform_heap_trim(void) {
    malloc_trim(0);
}

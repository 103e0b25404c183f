#include "cplatform.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
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

int cplatform_memory_file(void) {
    int file = memfd_create("scratch", MFD_CLOEXEC);
    return file >= 0 ? file : -errno;
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

// Creates a file in memory with the bytes, positioned at its beginning; returns its descriptor or -errno.
static int file_of(const char *bytes, unsigned long count) {
    int file = cplatform_memory_file();
    if (file < 0) {
        return file;
    }
    unsigned long done = 0;
    while (done < count) {
        ssize_t written = write(file, bytes + done, count - done);
        if (written < 0 && errno != EINTR) {
            int error = errno;
            close(file);
            return -error;
        }
        done += written > 0 ? (unsigned long)written : 0;
    }
    lseek(file, 0, SEEK_SET);
    return file;
}

static int set_descriptors(posix_spawn_file_actions_t *actions, int input, int output) {
    int error = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    if (error == 0) {
        error = output < 0 ? posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
                           : posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    }
    return error != 0 ? error : posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}

static void set_signals(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

// Starts the program with these descriptors, the second of which may be -1; returns its process id or -errno.
static int spawn(const char *path, int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t process = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawnattr_init(&attributes);
        if (error == 0) {
            set_signals(&attributes);
            error = set_descriptors(&actions, input, output);
            char *arguments[] = {(char *)path, NULL};
            if (error == 0) error = posix_spawn(&process, path, &actions, &attributes, arguments, environ);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    return error == 0 ? process : -error;
}

int cplatform_spawn(const char *path, const void *input, unsigned long count, int *output) {
    int file = file_of(input, count);
    if (file < 0) {
        return file;
    }
    int ends[2] = {-1, -1};
    if (output != NULL && pipe2(ends, O_CLOEXEC) < 0) {
        int error = errno;
        close(file);
        return -error;
    }
    int process = spawn(path, file, ends[1]);
    close(file);
    if (output == NULL) {
        return process;
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return process;
    }
    // The program's end of the pipe stays blocking, as programs expect.
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *output = ends[0];
    return process;
}

void cplatform_heap_configure(void) {
    mallopt(M_ARENA_MAX, 4);
}

unsigned long cplatform_heap_free_bytes(void) {
    return mallinfo2().fordblks;
}

void cplatform_heap_trim(void) {
    malloc_trim(0);
}

int cplatform_sync_file_system(int descriptor) { return syncfs(descriptor) < 0 ? -errno : 0; }

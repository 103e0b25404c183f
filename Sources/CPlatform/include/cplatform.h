// The Linux calls that the Glibc module hides behind _GNU_SOURCE or varargs. Every function returns 0 (or a descriptor)
// on success and -errno on failure, so that no caller reads errno late.

#ifndef CPLATFORM_H
#define CPLATFORM_H

/// Renames a file, as renameat(2) does, but never replaces an existing `to`: -EEXIST (renameat2 with RENAME_NOREPLACE).
/// On file systems without that flag (NFS, some in user space), it checks for `to` first, which leaves a race.
int cplatform_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to);

/// Opens a file, as openat(2) does, without varargs. Interrupted calls are repeated.
int cplatform_openat(int directory, const char *name, int flags, unsigned int mode);

/// Creates an empty file without a name in memory (memfd_create(2)), closed on exec. Returns its descriptor or -errno.
int cplatform_memory_file(void);

/// Returns whether any process has the file open for writing: 1 yes, 0 no, -errno if the file system does not support
/// it.
///
/// A read lease (fcntl F_SETLEASE) is granted only while there is no writer; it is released at once. SIGIO, which
/// notifies the holder of a lease of a waiting process, is ignored in the whole process: its default action would end
/// it.
int cplatform_has_writer(int descriptor);

/// Makes all data durable that was written to the file system of an open file or folder (syncfs(2)). Returns 0 or
/// -errno.
int cplatform_sync_file_system(int descriptor);

/// Makes `descriptor` refer to the same file as `other`, atomically for all threads; closed on exec. Returns 0 or
/// -errno.
int cplatform_replace(int descriptor, int other);

/// Starts the program at `path` without arguments, in its own process group, with the bytes as its standard input.
///
/// Its standard output is discarded or, if `output` is not NULL, can be read from `*output` without blocking; the
/// caller closes that. Its standard error is the caller's. It inherits no other descriptor, and no signal is blocked or
/// ignored. Returns its process id or -errno; the caller waits for it (waitpid(2)).
int cplatform_spawn(const char *path, const void *input, unsigned long count, int *output);

/// Lets all threads share few arenas of the C library, so that little free memory is held in one that others could use.
///
/// The size from which a block is mapped separately is left to the C library, which raises it as blocks are freed:
/// SQLite allocates and frees a block for each long row that it compares, and mapping each one would make such writes
/// ten times slower.
void cplatform_heap_configure(void);

/// Returns the number of bytes that were freed and are kept by the C library for later use.
unsigned long cplatform_heap_free_bytes(void);

/// Returns all freed whole pages to the system (malloc_trim(3)).
void cplatform_heap_trim(void);

#endif

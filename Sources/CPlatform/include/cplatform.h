// The Linux calls that the Glibc module hides behind _GNU_SOURCE or varargs, and nothing else.
// Every function returns 0 (or a descriptor) on success and -errno on failure, so that no caller reads errno late.

#ifndef CPLATFORM_H
#define CPLATFORM_H

/// renameat(2) that never replaces an existing `to`: -EEXIST instead (renameat2 with RENAME_NOREPLACE).
/// File systems that do not know the flag (NFS, some in user space) are looked at first, and may be a moment too late.
int cplatform_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to);

/// openat(2) without varargs. Interrupted calls are tried again.
int cplatform_openat(int directory, const char *name, int flags, unsigned int mode);

/// An empty file without a name, in memory (memfd_create(2)); it is closed on exec. Its descriptor, or -errno.
int cplatform_memory_file(void);

/// Whether some process has the file open for writing: 1 yes, 0 no, -errno when the file system cannot tell.
///
/// A read lease (fcntl F_SETLEASE) is granted only while nobody writes; it is given back at once. SIGIO, which tells a
/// lease holder that somebody waits, is ignored for the whole process: its default would end it.
int cplatform_has_writer(int descriptor);

/// Makes everything durable that was written to the file system of an open file or folder (syncfs(2)). 0, or -errno.
int cplatform_sync_file_system(int descriptor);

/// Makes `descriptor` stand for what `other` does, in one step for all threads; it is closed on exec. 0, or -errno.
int cplatform_replace(int descriptor, int other);

/// Starts the program at `path` without arguments, in a process group of its own, with these bytes as its standard input. What
/// it prints is dropped, or, where `output` is not NULL, can be read there without waiting (the caller closes it); errors go where the caller's go; it has no other descriptor, and hears all signals. Its id, or
/// -errno; the caller waits for it (waitpid(2)).
int cplatform_spawn(const char *path, const void *input, unsigned long count, int *output);

/// Has the C library share few arenas among the threads, so that little is kept in one that others could use.
///
/// The size from which a block is mapped by itself is left to it, for it grows with what is freed: SQLite takes and frees a
/// block for each long row that it compares, and mapping each one makes such writes take ten times as long.
void cplatform_heap_configure(void);

/// Bytes that were freed and are kept by the C library for later.
unsigned long cplatform_heap_free_bytes(void);

/// Gives all whole pages that were freed back to the system (malloc_trim(3)).
void cplatform_heap_trim(void);

#endif

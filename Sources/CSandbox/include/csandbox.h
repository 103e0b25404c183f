// Processes that can only compute: starting one, exchanging messages with it, and, in the process, giving up all other
// privileges. Every function returns 0 (or a descriptor or a count) on success and -errno on failure.

#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// For the process that starts the other.

/// Creates a pair of connected sockets that preserve message boundaries (SOCK_SEQPACKET), both closed on exec.
int csandbox_socket_pair(int sockets[2]);

/// Starts a program with the descriptors 0, 1 and 2 on /dev/null, 3 on `socket`, and no other; in its own process
/// group, with the default actions for all signals.
///
/// A process that requests to be killed with its parent (PR_SET_PDEATHSIG) is killed with the *thread* that started it.
/// All processes are therefore started by one thread, which lives as long as this process.
int csandbox_spawn(const char *path, char *const arguments[], char *const environment[], int socket, pid_t *process);

/// Creates zeroed memory of a fixed size, shared by its descriptor; it cannot be resized or made executable.
int csandbox_shared_memory(size_t byte_count);

/// Releases the pages of such memory, which is then zero again; its size stays the same.
int csandbox_release(int memory, size_t byte_count);

/// Limits the future use of resources by a process of ours: its address space and its total processor time; it may
/// write no files, and have 8 descriptors, no locked memory and no core dump.
int csandbox_limit(pid_t process, uint64_t address_space_bytes, uint64_t cpu_seconds);

/// Lets a process of ours compute for that many more seconds, plus one at most; then it receives SIGXCPU, which it
/// cannot block. Returns the resulting limit in seconds since its start, which is smaller if its total time is used up.
int64_t csandbox_limit_cpu(pid_t process, uint64_t seconds);

/// Restricts a process of ours, and the threads that it starts from now on, to idle processor time (SCHED_IDLE) or, if
/// that is refused, to the lowest priority (nice 19).
int csandbox_yield_processor(pid_t process);

/// The kernel's information about a process.
struct csandbox_process {
    char letter;  ///< The state of its first thread: R, S, D, T or Z, as in ps(1).
    int threads;
    bool is_ending;  ///< Whether its first thread is exiting, or dead.
};

/// Reads the state of a process.
int csandbox_look(pid_t process, struct csandbox_process *state);

/// Returns a number that identifies this program and its libraries in their versions, by the sizes and times of their
/// files.
uint64_t csandbox_program(void);

// For both processes.

/// Sends a message, with up to two descriptors.
int csandbox_send(int socket, const void *bytes, size_t count, const int descriptors[], size_t descriptor_count);

/// Waits for a message with exactly two descriptors. Returns the length of the message, 0 if the other side has closed
/// the socket, or -EBADMSG for any other message.
ssize_t csandbox_receive(int socket, void *bytes, size_t capacity, int descriptors[2]);

// For the process that is started, in this order, while it has one thread.

/// Makes the C library perform its initialisations on first use that need calls which will be forbidden.
int csandbox_warm_up(void);

/// Returns the size of this process's address space, in bytes.
int64_t csandbox_address_space(void);

/// Makes the kernel choose this process first when memory runs out, before its parent.
int csandbox_volunteer(void);

/// Separates the process from the machine as far as the kernel allows: its own namespaces (user, mount, network, IPC,
/// host name) with an empty root folder and at most 256 threads; an unprivileged user, if it was started as root; no
/// capabilities. Returns the namespaces that were created, as the flags of unshare(2).
int csandbox_separate(void);

/// Makes the process end with its parent and ignore the signals that a terminal or a service manager sends to all
/// processes of a service; it can neither gain privileges nor be inspected by others.
int csandbox_renounce(void);

/// Denies access to all files and network addresses by Landlock. Returns the version of Landlock, 0 if the kernel has
/// none.
int csandbox_landlock(void);

/// Forbids all system calls except those that computing needs: any other kills the process with SIGSYS.
int csandbox_filter(void);

#endif

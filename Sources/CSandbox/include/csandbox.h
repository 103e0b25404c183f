// Processes that may do nothing but compute: starting one, talking to it, and, in it, giving up everything else.
// Every function returns 0 (or a descriptor or a count) on success and -errno on failure.

#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// In the process that starts the other.

/// A pair of connected sockets that keep messages apart (SOCK_SEQPACKET), both closed on exec.
int csandbox_socket_pair(int sockets[2]);

/// Starts a program whose descriptors are 0, 1 and 2 on /dev/null, 3 on `socket`, and no other; in a process group of its
/// own, all signals at their defaults.
///
/// Who asks to be killed with its parent (PR_SET_PDEATHSIG) is killed with the *thread* that started it. All are therefore
/// started by one thread, which lives as long as this process does.
int csandbox_spawn(const char *path, char *const arguments[], char *const environment[], int socket, pid_t *process);

/// Memory of a fixed size, zero, to be shared by its descriptor: nobody can make it shorter, longer, or executable.
int csandbox_shared_memory(size_t byte_count);

/// Gives the pages of such memory back; it is zero again, and as long as before.
int csandbox_release(int memory, size_t byte_count);

/// Bounds what a process of ours may have from now on: its address space, its processor time in all, and no file written,
/// 8 descriptors, no locked memory, no core.
int csandbox_limit(pid_t process, uint64_t address_space_bytes, uint64_t cpu_seconds);

/// Lets a process of ours compute for so many more seconds, and a second at most; then it gets SIGXCPU, which it cannot
/// block. How many seconds it has then had since its start: fewer where its time in all is over.
int64_t csandbox_limit_cpu(pid_t process, uint64_t seconds);

/// Has a process of ours, and the threads that it starts from now on, compute only while nobody else wants the processor
/// (SCHED_IDLE), or where that is refused with the least share of it (nice 19).
int csandbox_yield_processor(pid_t process);

/// What the kernel tells of a process.
struct csandbox_process {
    char letter;  ///< How its first thread is: R, S, D, T, Z, as ps(1) has it.
    int threads;
    bool is_ending;  ///< Whether its first thread is on its way out, or dead.
};

/// Looks at a process.
int csandbox_look(pid_t process, struct csandbox_process *state);

/// Tells this program and its libraries from others, and from other versions of them: by the sizes and times of their files.
uint64_t csandbox_program(void);

// Between the two.

/// Sends a message, with up to two descriptors.
int csandbox_send(int socket, const void *bytes, size_t count, const int descriptors[], size_t descriptor_count);

/// Waits for a message with exactly two descriptors; the length of the message, 0 when the other side is gone, and
/// -EBADMSG for any other message.
ssize_t csandbox_receive(int socket, void *bytes, size_t capacity, int descriptors[2]);

// In the process that is started, in this order, while it has one thread.

/// Has the C library do what it otherwise does, by calls that will be forbidden, at first use.
int csandbox_warm_up(void);

/// How much address space this process has, in bytes.
int64_t csandbox_address_space(void);

/// Has the kernel take this process first when memory runs out, and its parent later.
int csandbox_volunteer(void);

/// Leaves the machine as far as the kernel allows: namespaces of its own (user, mount, network, IPC, host name) with an empty
/// folder for a root and at most 256 threads; no user of any rights, when started as root; no capabilities. The namespaces
/// that there are, as the flags of unshare(2).
int csandbox_separate(void);

/// Ends with the parent, ignores what a terminal or a service manager sends to all processes of a service, and can
/// neither gain privileges nor be looked into.
int csandbox_renounce(void);

/// Takes away all files and all network addresses by Landlock; the version of it, 0 where the kernel has none.
int csandbox_landlock(void);

/// Takes away all system calls but those that computing needs: any other kills the process with SIGSYS.
int csandbox_filter(void);

#endif

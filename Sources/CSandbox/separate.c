#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { nobody = 65534, most_threads = 256 };

static const int spaces = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

// There is no pid namespace: it would apply only to children, of which there are none, and would forbid threads.

static int set_capabilities(const struct __user_cap_data_struct sets[2]) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capset, &header, sets) == 0 ? 0 : -errno;
}

static bool has_capability(int number) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0) return false;
    return (sets[CAP_TO_INDEX(number)].effective & CAP_TO_MASK(number)) != 0;
}

// Enters namespaces. It retries because a user namespace requires a single thread, and a thread that was just joined
// may still exist for a moment.
static bool enter(int flags) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int tries = 0; unshare(flags) != 0; tries++) {
        if (errno != EINVAL || tries == 200) return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

// Makes an empty folder the root, in a mount namespace of our own, and detaches all mounted file systems: a file system
// that is unmounted elsewhere would otherwise stay in use during the life of the process. If the old root cannot be
// moved (because it is a folder set by chroot(2), or the kernel's first root), it stays mounted but out of reach.
static int leave_files(void) {
    const char *path = "/proc";  // a folder that always exists
    unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 0;
    if (mount("none", path, "tmpfs", flags, "size=4k") != 0) return 0;
    if (chdir(path) != 0) return -errno;
    // The old root is stacked on top of the new one, and detached from there.
    bool is_detached = syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0;
    if (!is_detached && chroot(".") != 0) return 0;
    return chdir("/") == 0 ? 0 : -errno;
}

static bool map_to_nobody(pid_t process, const char *kind) {
    char path[40], text[32];
    snprintf(path, sizeof path, "/proc/%d/%s_map", (int)process, kind);
    int count = snprintf(text, sizeof text, "0 %d 1", nobody);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool is_written = write(file, text, (size_t)count) == count;
    close(file);
    return is_written;
}

// A process with privileges outside the namespace must map its user. The helper therefore stays outside until this
// process has entered it. The namespace nevertheless belongs to root, so that the service can continue to set limits
// for this process.
struct helper {
    pid_t process;
    int start;  // A byte that is written here makes the helper begin.
};

static struct helper start_helper(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return (struct helper){-1, -1};
    pid_t process = getpid(), child = fork();
    if (child == 0) {
        char byte;
        close(ends[1]);
        if (read(ends[0], &byte, 1) != 1) _exit(1);
        _exit(map_to_nobody(process, "gid") && map_to_nobody(process, "uid") ? 0 : 1);
    }
    close(ends[0]);
    return (struct helper){child, ends[1]};
}

// Lets the helper begin or exit; returns whether it has mapped the user.
static bool finish_helper(struct helper helper, bool is_wanted) {
    if (helper.process < 0) return false;
    bool is_asked = is_wanted && write(helper.start, "", 1) == 1;
    close(helper.start);
    int status = -1;
    while (waitpid(helper.process, &status, 0) < 0 && errno == EINTR) {}
    return is_asked && status == 0;
}

static int become(unsigned int user) {
    if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) return -errno;
    return 0;
}

// Without user namespaces, the service must keep the right to set limits for another user's processes.
static bool may_change_user(void) {
    return has_capability(CAP_SETUID) && has_capability(CAP_SETGID) && has_capability(CAP_SYS_RESOURCE);
}

int csandbox_separate(void) {
    int entered = 0, result = 0;
    bool is_root = geteuid() == 0;
    struct helper helper = is_root ? start_helper() : (struct helper){-1, -1};
    if (enter(CLONE_NEWUSER | spaces)) {
        entered = CLONE_NEWUSER | spaces;
    } else if (enter(CLONE_NEWUSER)) {
        entered = CLONE_NEWUSER;
    } else if (is_root && enter(spaces)) {
        entered = spaces;
    }
    bool is_mapped = finish_helper(helper, (entered & CLONE_NEWUSER) != 0);
    if ((entered & spaces) != 0) result = leave_files();
    if (result != 0) return result;
    if (is_mapped) {
        result = become(0);
    } else if (is_root && (entered & CLONE_NEWUSER) == 0 && may_change_user()) {
        result = become(nobody);
    }
    if (result != 0) return result;
    if ((entered & CLONE_NEWUSER) != 0) {
        // Outside a user namespace, the limit would count all processes of the user.
        const struct rlimit threads = {.rlim_cur = most_threads, .rlim_max = most_threads};
        if (setrlimit(RLIMIT_NPROC, &threads) != 0) return -errno;
    }
    const struct __user_cap_data_struct none[2] = {{0}, {0}};
    result = set_capabilities(none);
    return result != 0 ? result : entered;
}

#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const unsigned int is_exiting = 0x4;  // PF_EXITING of the kernel's linux/sched.h

int csandbox_look(pid_t process, struct csandbox_process *state) {
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return -EIO;
    text[count] = 0;
    // The process chooses its name, which may contain any characters; no bracket follows it.
    const char *rest = strrchr(text, ')');
    unsigned int flags = 0;
    int threads = 0;
    if (rest == NULL || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
                               &state->letter, &flags, &threads) != 3) {
        return -EBADMSG;
    }
    state->threads = threads;
    state->is_ending = state->letter == 'Z' || state->letter == 'X' || (flags & is_exiting) != 0;
    return 0;
}

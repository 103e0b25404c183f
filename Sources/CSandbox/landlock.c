#include "csandbox.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

// As in linux/landlock.h, which older distributions have in versions older than their kernel.
struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

static const unsigned int ask_version = 1;

int csandbox_landlock(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ask_version);
    // Not built in, not enabled, or forbidden by a container: the filter alone must suffice.
    if (version < 0) return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? 0 : -errno;
    unsigned int file_rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    struct ruleset ruleset = {
        .files = (1ULL << file_rights) - 1,
        .network = version >= 4 ? 3 : 0,  // bind and connect
        .scopes = version >= 6 ? 3 : 0,   // abstract sockets and signals of other processes
    };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    // A right that the ruleset handles, and that no rule grants, is denied.
    long rules = syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
    if (rules < 0) return -errno;
    int result = syscall(SYS_landlock_restrict_self, (int)rules, 0) == 0 ? (int)version : -errno;
    close((int)rules);
    return result;
}

#include "csandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef ARCHITECTURE

int csandbox_filter(void) { return -ENOSYS; }

#else

// What a system call may have as one of its arguments, of which the lower 32 bits are looked at: the kernel takes no more
// of these. (Both architectures are little-endian.)
enum test { anything, equal, without, own_process };

struct rule {
    int number;
    enum test test;
    int argument;
    uint32_t value;
    int error;  // given instead of the call, when not 0
};

// What pthread_create(3) asks for: a thread, never a process.
static const uint32_t thread_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |
                                     CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

static const struct rule rules[] = {
    // The photo, and the talk with the parent. Descriptors are handed over, none can be opened.
    {.number = SYS_recvmsg},
    {.number = SYS_sendmsg},
    {.number = SYS_pread64},
    {.number = SYS_close},
    // Memory, none of it executable.
    {.number = SYS_mmap, .test = without, .argument = 2, .value = PROT_EXEC},
    {.number = SYS_mprotect, .test = without, .argument = 2, .value = PROT_EXEC},
    {.number = SYS_munmap},
    {.number = SYS_mremap},
    {.number = SYS_madvise},
    {.number = SYS_brk},
    // Threads of the codecs.
    {.number = SYS_futex},
    {.number = SYS_clone, .test = equal, .argument = 0, .value = thread_flags},
    {.number = SYS_clone3, .error = ENOSYS},  // its flags cannot be seen; the C library then uses clone
    {.number = SYS_set_robust_list},
    {.number = SYS_rseq},
    {.number = SYS_rt_sigprocmask},
    {.number = SYS_sched_getaffinity},
    {.number = SYS_sched_yield},
    {.number = SYS_prctl, .test = equal, .argument = 0, .value = PR_SET_NAME},
    {.number = SYS_exit},
    // Time and chance.
    {.number = SYS_clock_gettime},
    {.number = SYS_getrandom},
    {.number = SYS_restart_syscall},
    // To end, also with a word to /dev/null and abort(3).
    {.number = SYS_write},
    {.number = SYS_writev},
    {.number = SYS_getpid},
    {.number = SYS_gettid},
    {.number = SYS_tgkill, .test = own_process, .argument = 0},
    {.number = SYS_rt_sigreturn},
    {.number = SYS_exit_group},
};

enum { rule_count = sizeof rules / sizeof *rules, most_instructions = 8 + rule_count * 5 };

struct program {
    struct sock_filter instructions[most_instructions];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter instruction) {
    program->instructions[program->count++] = instruction;
}

static void load(struct program *program, size_t offset) {
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(struct program *program, uint32_t action) {
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

// Goes on with the next instruction when the comparison says so, else passes over `skipped` of them.
static void unless(struct program *program, int comparison, uint32_t value, bool expected, uint8_t skipped) {
    add(program, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | comparison | BPF_K), value, expected ? 0 : skipped,
                                              expected ? skipped : 0));
}

static void add_rule(struct program *program, const struct rule *rule) {
    uint32_t allowed = rule->error == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (uint32_t)rule->error;
    uint32_t value = rule->test == own_process ? (uint32_t)getpid() : rule->value;
    unless(program, BPF_JEQ, (uint32_t)rule->number, true, rule->test == anything ? 1 : 4);
    if (rule->test != anything) {
        load(program, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)rule->argument);
        bool has_bits = rule->test == without;
        unless(program, has_bits ? BPF_JSET : BPF_JEQ, value, !has_bits, 1);
    }
    answer(program, allowed);
    if (rule->test != anything) answer(program, SECCOMP_RET_KILL_PROCESS);
}

int csandbox_filter(void) {
    struct program program = {.count = 0};
    load(&program, offsetof(struct seccomp_data, arch));
    unless(&program, BPF_JEQ, ARCHITECTURE, false, 1);
    answer(&program, SECCOMP_RET_KILL_PROCESS);
    load(&program, offsetof(struct seccomp_data, nr));
    for (size_t index = 0; index < rule_count; index++) add_rule(&program, &rules[index]);
    answer(&program, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog filter = {.len = program.count, .filter = program.instructions};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (result > 0) return -EAGAIN;  // a thread that has another filter
    return result == 0 ? 0 : -errno;
}

#endif

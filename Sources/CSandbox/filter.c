#include "csandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
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

// The tests of a system call's argument. Only its lower 32 bits are tested, since the kernel uses no more of these
// arguments. (Both architectures are little-endian.)
enum test { anything, equal, without, own_process };

struct condition {
    enum test test;
    int argument;
    uint32_t value;
};

enum { most_conditions = 2 };

// The action for a call that satisfies the conditions.
enum verdict {
    allow,
    refuse,   // It fails with `error`.
    pretend,  // It does nothing, and succeeds.
};

struct rule {
    int number;
    enum verdict verdict;
    int error;
    struct condition conditions[most_conditions];
};

// The flags of pthread_create(3): a thread, never a process.
static const uint32_t thread_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |
                                     CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

static const struct rule rules[] = {
    // The photo, and the messages of the parent. Descriptors are received; none can be opened.
    {.number = SYS_recvmsg},
    {.number = SYS_sendmsg},
    {.number = SYS_pread64},
    {.number = SYS_close},
    // Memory that is not executable.
    {.number = SYS_mmap, .conditions = {{without, 2, PROT_EXEC}}},
    {.number = SYS_mprotect, .conditions = {{without, 2, PROT_EXEC}}},
    {.number = SYS_munmap},
    {.number = SYS_mremap},
    {.number = SYS_madvise},
    {.number = SYS_brk},
    // The threads of the codecs.
    {.number = SYS_futex},
    {.number = SYS_clone, .conditions = {{equal, 0, thread_flags}}},
    {.number = SYS_clone3, .verdict = refuse, .error = ENOSYS},  // its flags cannot be seen; the C library then uses clone
    {.number = SYS_set_robust_list},
    {.number = SYS_rseq},
    {.number = SYS_rt_sigprocmask, .verdict = pretend},  // a process that blocked SIGXCPU could compute forever
    {.number = SYS_sched_getaffinity},
    {.number = SYS_sched_yield},
    {.number = SYS_prctl, .conditions = {{equal, 0, PR_SET_NAME}}},
    {.number = SYS_exit},
    // Time and random numbers.
    {.number = SYS_clock_gettime},
    {.number = SYS_getrandom},
    {.number = SYS_restart_syscall},
    // Ending the process, also with a message to /dev/null and abort(3).
    {.number = SYS_write},
    {.number = SYS_writev},
    {.number = SYS_getpid},
    {.number = SYS_gettid},
    // No other signal, so that an end by SIGKILL always has an external cause. No rt_sigreturn, since it also sets the
    // mask.
    {.number = SYS_tgkill, .conditions = {{own_process, 0}, {equal, 2, SIGABRT}}},
    {.number = SYS_exit_group},
};

enum { rule_count = sizeof rules / sizeof *rules, most_instructions = 8 + rule_count * (3 + 2 * most_conditions) };

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

// Continues with the next instruction if the comparison has the expected result, otherwise skips `skipped`
// instructions.
static void unless(struct program *program, int comparison, uint32_t value, bool expected, uint8_t skipped) {
    add(program, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | comparison | BPF_K), value, expected ? 0 : skipped,
                                              expected ? skipped : 0));
}

static uint32_t action(const struct rule *rule) {
    switch (rule->verdict) {
    case allow: return SECCOMP_RET_ALLOW;
    case refuse: return SECCOMP_RET_ERRNO | (uint32_t)rule->error;
    case pretend: return SECCOMP_RET_ERRNO;
    }
    return SECCOMP_RET_KILL_PROCESS;
}

static void add_condition(struct program *program, const struct condition *condition, uint8_t skipped) {
    uint32_t value = condition->test == own_process ? (uint32_t)getpid() : condition->value;
    bool has_bits = condition->test == without;
    load(program, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)condition->argument);
    unless(program, has_bits ? BPF_JSET : BPF_JEQ, value, !has_bits, skipped);
}

static void add_rule(struct program *program, const struct rule *rule) {
    uint8_t count = 0;
    while (count < most_conditions && rule->conditions[count].test != anything) count++;
    // Two instructions per condition, one that returns the action and, if there are conditions, one that kills.
    unless(program, BPF_JEQ, (uint32_t)rule->number, true, count == 0 ? 1 : (uint8_t)(2 * count + 2));
    for (uint8_t index = 0; index < count; index++) {
        add_condition(program, &rule->conditions[index], (uint8_t)(2 * (count - 1 - index) + 1));
    }
    answer(program, action(rule));
    if (count > 0) answer(program, SECCOMP_RET_KILL_PROCESS);
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
    if (result > 0) return -EAGAIN;  // a thread has another filter
    return result == 0 ? 0 : -errno;
}

#endif

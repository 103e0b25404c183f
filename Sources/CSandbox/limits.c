#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int limit(pid_t process, enum __rlimit_resource resource, uint64_t value) {
    struct rlimit both;
    if (prlimit(process, resource, NULL, &both) != 0) return -errno;
    if (value < both.rlim_max) both.rlim_max = value;  // The limit cannot exceed our own.
    both.rlim_cur = both.rlim_max;
    return prlimit(process, resource, &both, NULL) == 0 ? 0 : -errno;
}

int csandbox_limit(pid_t process, uint64_t address_space_bytes, uint64_t cpu_seconds) {
    const struct {
        enum __rlimit_resource resource;
        uint64_t value;
    } limits[] = {
        {RLIMIT_AS, address_space_bytes}, {RLIMIT_CPU, cpu_seconds}, {RLIMIT_FSIZE, 0},
        {RLIMIT_NOFILE, 8},  // 0 to 3, the photo, the memory for its renditions, and two in reserve
        {RLIMIT_CORE, 0},    {RLIMIT_MEMLOCK, 0},
    };
    for (size_t index = 0; index < sizeof limits / sizeof *limits; index++) {
        int result = limit(process, limits[index].resource, limits[index].value);
        if (result != 0) return result;
    }
    return 0;
}

int64_t csandbox_limit_cpu(pid_t process, uint64_t seconds) {
    clockid_t clock;
    struct timespec used;
    struct rlimit both;
    int error = clock_getcpuclockid(process, &clock);
    if (error != 0) return -error;
    if (clock_gettime(clock, &used) != 0) return -errno;
    if (prlimit(process, RLIMIT_CPU, NULL, &both) != 0) return -errno;
    both.rlim_cur = (rlim_t)used.tv_sec + 1 + seconds;
    if (both.rlim_cur > both.rlim_max) both.rlim_cur = both.rlim_max;
    return prlimit(process, RLIMIT_CPU, &both, NULL) == 0 ? (int64_t)both.rlim_cur : -errno;
}

int csandbox_yield_processor(pid_t process) {
    struct sched_param none = {0};
    if (sched_setscheduler(process, SCHED_IDLE, &none) == 0) return 0;
    return setpriority(PRIO_PROCESS, (id_t)process, 19) == 0 ? 0 : -errno;
}

int64_t csandbox_address_space(void) {
    char text[64];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return -EIO;
    text[count] = 0;
    return strtoll(text, NULL, 10) * sysconf(_SC_PAGESIZE);
}

int csandbox_renounce(void) {
    prctl(PR_SET_NAME, "render-worker", 0, 0, 0);  // instead of exe, from /proc/self/exe
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return -errno;
    for (const int *number = (const int[]){SIGHUP, SIGINT, SIGTERM, SIGPIPE, 0}; *number != 0; number++) {
        if (signal(*number, SIG_IGN) == SIG_ERR) return -errno;
    }
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -errno;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

int csandbox_volunteer(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    ssize_t written = write(file, "1000", 4);
    int error = errno;
    close(file);
    return written == 4 ? 0 : -error;
}

static int compare(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }

static void *return_at_once(void *unused) { return unused; }

int csandbox_warm_up(void) {
    tzset();  // gmtime(3), which lcms2 calls, reads /etc/localtime
    int numbers[1024] = {0};
    qsort(numbers, 1024, sizeof *numbers, compare);  // reads the size of the memory
    pthread_t thread;
    int error = pthread_create(&thread, NULL, return_at_once, NULL);  // sets the library's own signal handlers
    return error != 0 ? -error : -pthread_join(thread, NULL);
}

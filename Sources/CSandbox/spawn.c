#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <unistd.h>

struct request {
    const char *path;
    char *const *arguments;
    char *const *environment;
    int socket;
    pid_t process;
    int error;
    bool is_done;
};

static int set_actions(posix_spawn_file_actions_t *actions, int socket) {
    int error = posix_spawn_file_actions_adddup2(actions, socket, 3);
    for (int descriptor = 0; descriptor < 3 && error == 0; descriptor++) {
        error = posix_spawn_file_actions_addopen(actions, descriptor, "/dev/null", O_RDWR, 0);
    }
    return error != 0 ? error : posix_spawn_file_actions_addclosefrom_np(actions, 4);
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(attributes,
                                    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int spawn(struct request *request) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = set_actions(&actions, request->socket);
        if (error == 0) error = set_attributes(&attributes);
        if (error == 0) {
            error = posix_spawn(&request->process, request->path, &actions, &attributes, request->arguments,
                                request->environment);
        }
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// The thread that spawns, and its current request.

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static struct request *current;
static bool is_running;

static void *spawn_for_others(void *unused) {
    pthread_mutex_lock(&lock);
    while (true) {
        while (current == NULL) pthread_cond_wait(&asked, &lock);
        current->error = spawn(current);
        current->is_done = true;
        current = NULL;
        pthread_cond_broadcast(&answered);
    }
    return unused;
}

static int start_thread(void) {
    if (is_running) return 0;
    struct sigaction children;
    if (sigaction(SIGCHLD, NULL, &children) == 0 && children.sa_handler == SIG_IGN) {
        signal(SIGCHLD, SIG_DFL);  // otherwise a child's id could be reused before its end has been awaited
    }
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, spawn_for_others, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) return error;
    pthread_detach(thread);
    is_running = true;
    return 0;
}

int csandbox_spawn(const char *path, char *const arguments[], char *const environment[], int socket, pid_t *process) {
    struct request request = {
        .path = path, .arguments = arguments, .environment = environment, .socket = socket};
    pthread_mutex_lock(&lock);
    request.error = start_thread();
    if (request.error == 0) {
        while (current != NULL) pthread_cond_wait(&answered, &lock);
        current = &request;
        pthread_cond_signal(&asked);
        while (!request.is_done) pthread_cond_wait(&answered, &lock);
    }
    pthread_mutex_unlock(&lock);
    *process = request.process;
    return -request.error;
}

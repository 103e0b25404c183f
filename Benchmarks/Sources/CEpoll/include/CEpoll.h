// Headers that the Glibc module lacks.
#pragma once
#include <sys/epoll.h>

static inline int epoll_ready(int poll, struct epoll_event *events, int count, int milliseconds) {
    return epoll_wait(poll, events, count, milliseconds);
}

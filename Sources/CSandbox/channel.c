#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

enum { most_descriptors = 2 };

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * most_descriptors)];
};

int csandbox_socket_pair(int sockets[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : -errno;
}

int csandbox_shared_memory(size_t byte_count) {
    unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int memory = memfd_create("renditions", flags | MFD_NOEXEC_SEAL);
    if (memory < 0 && errno == EINVAL) memory = memfd_create("renditions", flags);  // before Linux 6.3
    if (memory < 0) return -errno;
    if (ftruncate(memory, (off_t)byte_count) == 0 &&
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        return memory;
    }
    int error = errno;
    close(memory);
    return -error;
}

int csandbox_release(int memory, size_t byte_count) {
    return fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)byte_count) == 0 ? 0 : -errno;
}

int csandbox_send(int socket, const void *bytes, size_t count, const int descriptors[], size_t descriptor_count) {
    if (descriptor_count > most_descriptors) return -EINVAL;
    union control control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(&control.header), descriptors, sizeof(int) * descriptor_count);
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

ssize_t csandbox_receive(int socket, void *bytes, size_t capacity, int descriptors[2]) {
    union control control;
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t received;
    do {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received <= 0) return received < 0 ? -errno : 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || header == NULL || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof(int) * most_descriptors)) {
        return -EBADMSG;  // The parent never sends such a message, so its descriptors may stay open.
    }
    memcpy(descriptors, CMSG_DATA(header), sizeof(int) * most_descriptors);
    return received;
}

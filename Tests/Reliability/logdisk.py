"""A disk that records all writes, so that a power cut can be simulated at any moment afterwards.

logdisk.py MOUNTPOINT BACKING LOG

Mounts BACKING, a disk image, as the file MOUNTPOINT, by FUSE, whose kernel protocol it implements itself (fuse(4),
linux/fuse.h). Every write and every flush is appended to LOG before it is answered:

    b"W", offset and length as two little-endian 64-bit numbers, the bytes
    b"F"

It is equivalent to device-mapper's log-writes target. Under a loop device, a file system's barriers arrive as flushes.
"""

import ctypes
import errno
import os
import stat
import struct
import sys

GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT = 3, 4, 14, 15, 16, 17, 18, 20, 25, 26
FORGET, BATCH_FORGET, INTERRUPT, DESTROY = 2, 42, 36, 38
MAX_WRITE = 128 * 1024


class LogDisk:
    def __init__(self, mountpoint, backing, log):
        self.backing = os.open(backing, os.O_RDWR)
        self.log = open(log, "wb", buffering=0)
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode={stat.S_IFREG:o},user_id=0,group_id=0,allow_other"
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"logdisk", mountpoint.encode(), b"fuse", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), mountpoint)

    def serve(self):
        """Answers until it is unmounted."""
        while True:
            try:
                request = os.read(self.device, MAX_WRITE + 4096)
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                    continue
                raise
            _, operation, unique, _ = struct.unpack_from("<IIQQ", request)
            if operation in (FORGET, BATCH_FORGET, INTERRUPT):
                continue
            try:
                code, answer = 0, self.answer(operation, request[40:])
            except OSError as error:
                code, answer = -error.errno, b""
            os.write(self.device, struct.pack("<IiQ", 16 + len(answer), code, unique) + answer)

    def answer(self, operation, body):
        if operation == INIT:
            return struct.pack("<IIIIHHIIHHII24x", 7, 31, 0, 1 << 5, 16, 12, MAX_WRITE, 1, 0, 0, 0, 0)
        if operation in (GETATTR, SETATTR):
            return struct.pack("<QII", 3600, 0, 0) + self.attributes()
        if operation == OPEN:
            return struct.pack("<QII", 0, 0, 0)
        if operation == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return os.pread(self.backing, size, offset)
        if operation == WRITE:
            _, offset, size = struct.unpack_from("<QQI", body)
            data = body[40 : 40 + size]
            self.log.write(b"W" + struct.pack("<QQ", offset, size) + data)
            os.pwrite(self.backing, data, offset)
            return struct.pack("<II", size, 0)
        if operation == FSYNC:
            self.log.write(b"F")
            return b""
        if operation in (FLUSH, RELEASE, DESTROY):
            return b""
        if operation == STATFS:
            return struct.pack("<QQQQQIIII24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
        raise OSError(errno.ENOSYS, "not needed")

    def attributes(self):
        size = os.fstat(self.backing).st_size
        return struct.pack(
            "<QQQQQQIIIIIIIIII", 1, size, size // 512, 0, 0, 0, 0, 0, 0, stat.S_IFREG | 0o600, 1, 0, 0, 0, 4096, 0)


if __name__ == "__main__":
    LogDisk(*sys.argv[1:]).serve()

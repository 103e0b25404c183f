"""Ports of this machine."""

import pathlib
import random
import socket

LOWEST = 10_000
# Where the system takes ports for connections that go out, and for whoever asks for any.
EPHEMERAL = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port():
    """A TCP port of the loopback interface at which nobody listened a moment ago.

    It is none of those that the system gives out: another test's connection could have it by the time that somebody listens.
    """
    end = int(EPHEMERAL.read_text().split()[0])
    while True:
        port = random.randrange(LOWEST, max(end, LOWEST + 10_000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue  # Somebody listens there.

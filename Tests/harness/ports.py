"""Ports of this machine."""

import pathlib
import random
import socket

LOWEST = 10_000
# The ports that the system gives to outgoing connections and to programs that request any port.
EPHEMERAL = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port():
    """Returns a TCP port of the loopback interface on which no program listened a moment ago.

    It is outside the system's range: otherwise another test's connection could have it before the caller listens.
    """
    end = int(EPHEMERAL.read_text().split()[0])
    while True:
        port = random.randrange(LOWEST, max(end, LOWEST + 10_000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue  # A program listens there.

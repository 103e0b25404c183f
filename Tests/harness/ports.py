"""Ports of this machine."""

import socket


def free_port():
    """A TCP port of the loopback interface at which nobody listened a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

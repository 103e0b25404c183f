"""Where the service runs and where its clients do: two networks with a wire between them, or else one machine's loopback.

The clients' network is that of this program (Scripts/test-app starts it in a new one); the service's is a further one.
Both are gone with the last process in them, and no process outlives this one, however it ends.
"""

import os
import socket
import subprocess
import time

# What is started ends when what has started it does.
TIED = ["setpriv", "--pdeathsig", "KILL", "--"]
PATIENCE = 60  # Seconds until something that should happen is given up.


def eventually(what, condition):
    """The condition's first true value."""
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain for {what}")
        time.sleep(0.05)
    return value


class Loopback:
    """One network for all: that of this machine's own programs."""

    service_name = page_name = "localhost"
    service_address = page_address = "127.0.0.1"

    def __init__(self, folder):
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            other.bind(("127.0.0.1", 0))
            self.service_port, self.page_port = one.getsockname()[1], other.getsockname()[1]

    def start_service(self, command, log):
        return subprocess.Popen([*TIED, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)


class TwoNetworks:
    """A network for the service, joined to that of this program by a pair of veth; the addresses are for examples.

    (RFC 5737.)
    """

    service_name, page_name = "photos.example.org", "app.example.org"
    service_address, page_address = "192.0.2.1", "192.0.2.2"
    service_port = page_port = 443

    def __init__(self, folder):
        hosts = folder / "hosts"
        hosts.write_text(
            f"127.0.0.1 localhost\n{self.service_address} {self.service_name}\n{self.page_address} {self.page_name}\n")
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
        self.run("ip link set lo up")

    def start_service(self, command, log):
        side = " && ".join([
            "ip link set lo up", "read -r _", f"ip address add {self.service_address}/30 dev there", "ip link set there up"])
        process = subprocess.Popen(
            [*TIED, "unshare", "--net", "sh", "-c", f'{side} && exec "$@"', "sh", *command],
            stdin=subprocess.PIPE, stdout=log, stderr=log)
        own = os.readlink("/proc/self/ns/net")
        eventually("a network", lambda: process.poll() is not None or os.readlink(f"/proc/{process.pid}/ns/net") != own)
        self.run(f"ip link add here type veth peer name there netns {process.pid}")
        self.run(f"ip address add {self.page_address}/30 dev here")
        self.run("ip link set here up")
        process.stdin.write(b"go\n")
        process.stdin.close()
        return process

    @staticmethod
    def run(command):
        subprocess.run(command.split(), check=True)

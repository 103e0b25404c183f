"""The networks of the service and of its clients: two networks with a wire between them, or one machine's loopback.

The clients' network is that of this program (Scripts/test-app starts it in a new one). The service has another one, and
so has a phone, whose wire can be cut. All end with the last process in them, and no process outlives this one, however
it ends.
"""

import contextlib
import functools
import os
import socket
import subprocess
import threading

from harness.ports import free_port
from harness.waiting import eventually

# Started processes end with their parent.
TIED = ["setpriv", "--pdeathsig", "KILL", "--"]
class Loopback:
    """One network for all: that of this machine's own programs."""

    service_name = page_name = "localhost"
    service_address = page_address = "127.0.0.1"

    def __init__(self, folder):
        self.service_port, self.page_port = free_port(), free_port()

    def start_service(self, command, log, environment):
        return subprocess.Popen(
            [*TIED, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    @functools.cached_property
    def phone(self):
        return Relay(self.service_port)


class Relay:
    """A port that forwards to the service's until it is cut: then connections through it break off, and new ones are refused."""

    prefix = []  # A program behind it runs in this machine's network.

    def __init__(self, service_port):
        self.service_port, self.port, self.ends = service_port, 0, []
        self.mend()
        self.port = self.listener.getsockname()[1]

    def url(self, _):
        return f"https://localhost:{self.port}"

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def cut(self):
        # A mere close() does not wake a thread that waits in accept().
        for end in [self.listener, *self.ends]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.ends.clear()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                try:
                    service = socket.create_connection(("127.0.0.1", self.service_port))
                except OSError:
                    client.close()
                    continue
                self.ends += [client, service]
                for one, other in ((client, service), (service, client)):
                    threading.Thread(target=self.pump, args=[one, other], daemon=True).start()

    @staticmethod
    def pump(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


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
        run("mount --bind", str(hosts), "/etc/hosts")
        run("ip link set lo up")
        self.service = Network()
        run(f"ip link add here type veth peer name there netns {self.service.holder.pid}")
        self.service.run(f"ip address add {self.service_address}/30 dev there")
        self.service.run("ip link set there up")
        run(f"ip address add {self.page_address}/30 dev here")
        run("ip link set here up")

    def start_service(self, command, log, environment):
        return subprocess.Popen(
            [*TIED, *self.service.prefix, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=environment)

    @functools.cached_property
    def phone(self):
        return Phone(self.service, self.service_address)


class Network:
    """A network that exists as long as this program, with or without other programs in it."""

    def __init__(self):
        self.holder = subprocess.Popen([*TIED, "unshare", "--net", "sleep", "infinity"])
        place = f"/proc/{self.holder.pid}/ns/net"
        own = os.readlink("/proc/self/ns/net")
        eventually("a network", lambda: self.holder.poll() is not None or os.readlink(place) != own)
        self.prefix = ["nsenter", f"--net={place}", "--"]
        self.run("ip link set lo up")

    def run(self, command):
        run(*self.prefix, command)


class Phone:
    """A network with its own wire to the service's, which can be cut."""

    def __init__(self, service, service_address):
        self.network, self.service_address = Network(), service_address
        self.prefix = self.network.prefix
        run(f"ip link add phone netns {self.network.holder.pid} type veth peer name tower netns {service.holder.pid}")
        service.run("ip address add 192.0.2.5/30 dev tower")
        service.run("ip link set tower up")
        self.network.run("ip address add 192.0.2.6/30 dev phone")
        self.mend()

    def url(self, service):
        return service

    def mend(self):
        self.network.run("ip link set phone up")
        self.network.run(f"ip route add {self.service_address} via 192.0.2.5")

    def cut(self):
        self.network.run("ip link set phone down")


def run(*words):
    subprocess.run([part for word in words for part in word.split()], check=True)

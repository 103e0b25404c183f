"""The service as systemd starts it: with the socket for messages to the manager, and with listening sockets."""

import os
import signal
import socket
import subprocess

from system import get

from harness.waiting import PATIENCE, eventually


def check_manager(binary, scratch):
    messages = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    messages.bind(str(scratch / "notify"))
    messages.settimeout(PATIENCE)
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    environment = {
        **os.environ, "NOTIFY_SOCKET": str(scratch / "notify"), "WATCHDOG_USEC": "200000", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "http"}
    # The manager names the process for which the sockets are, whose id the shell knows. Descriptor 3 is the first one.
    script = 'export LISTEN_PID=$$ WATCHDOG_PID=$$; exec "$@" 3<&"$SOCKET"'
    command = ["bash", "-c", script, "bash", binary, "serve", "--storage", str(scratch / "managed")]
    service = subprocess.Popen(command, env={**environment, "SOCKET": str(listening.fileno())}, pass_fds=[listening.fileno()])

    def heard(word):
        """Waits for a message, and returns its lines. Messages of the watchdog may come before it."""
        while True:
            lines = messages.recv(4096).decode().split("\n")
            if word in lines:
                return lines
            if lines != ["WATCHDOG=1"]:
                raise AssertionError(f"the service said {lines} instead of {word}")

    try:
        if "STATUS=accepting requests" not in heard("READY=1"):
            raise AssertionError("the service has no status")
        if get("/healthz", port)[0] != 200:
            raise AssertionError("the service does not answer on the socket that was passed to it")
        heard("WATCHDOG=1")
        service.send_signal(signal.SIGHUP)
        if not any(line.startswith("MONOTONIC_USEC=") for line in heard("RELOADING=1")):
            raise AssertionError("a reload has no time")
        heard("READY=1")
        service.send_signal(signal.SIGTERM)
        heard("STOPPING=1")
        eventually("the end of the service", lambda: service.poll() == 0, service.poll, PATIENCE)
    finally:
        if service.poll() is None:
            service.kill()
            service.wait()
        messages.close()
        listening.close()

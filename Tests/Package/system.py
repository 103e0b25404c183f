"""A Debian in a folder, created by debootstrap, in which commands run by chroot; and a service in such a folder."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from harness.waiting import PATIENCE, eventually

SUITE = "bookworm"
# The service has a network of its own, so that its port is free. Only commands that need the mirror leave it.
OUTSIDE = ["nsenter", f"--net={os.environ['OUTER_NETWORK']}"]


def mirror():
    """Returns the mirror of Debian that this machine is configured with."""
    files = [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]
    for file in files:
        for line in file.read_text().splitlines() if file.is_file() else []:
            if match := re.match(r"(?:URIs:\s*|deb\s+(?:\[[^]]*\]\s*)?)(\S+/debian/?)(?:\s|$)", line):
                return match[1]
    sys.exit("/etc/apt names no mirror of Debian, which debootstrap needs")


class System:
    """A folder that is the root of commands. Mounts end with this process, which has a mount namespace of its own."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    @classmethod
    def debian(cls, root):
        """Creates a Debian without anything that a package can ask for."""
        run([*OUTSIDE, "debootstrap", "--variant=minbase", SUITE, str(root), mirror()])
        for name in ("resolv.conf", "hosts"):
            if pathlib.Path("/etc", name).exists():
                shutil.copy(f"/etc/{name}", pathlib.Path(root, "etc", name))
        for file in pathlib.Path("/etc/apt/apt.conf.d").glob("*"):
            # The way to the mirror, if there is one.
            if "proxy" in file.read_text().lower():
                shutil.copy(file, pathlib.Path(root, "etc/apt/apt.conf.d"))
        return cls(root)

    def mount(self):
        run(["mount", "--bind", "/dev", str(self.root / "dev")])
        run(["mount", "-t", "proc", "proc", str(self.root / "proc")])

    def path(self, inside):
        return self.root / str(inside).lstrip("/")

    def run(self, *command, given=None, within=()):
        """Runs a command; returns what it prints. Fails if it fails."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        return run([*within, "chroot", str(self.root), *command], 0, environment, given)

    def packages(self, *command):
        return self.run("apt-get", "-q", "-y", "--no-install-recommends", "-o", "APT::Sandbox::User=root", *command, within=OUTSIDE)

    @contextlib.contextmanager
    def serving(self, *command):
        """Runs a service beside a body, and stops it as a service manager does."""
        with open(self.root.with_name("service.log"), "wb+") as log:
            process = subprocess.Popen(
                ["chroot", *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

            def answers():
                if process.poll() is not None:
                    raise AssertionError(f"the service ended: {said(log)}")
                with contextlib.suppress(OSError):
                    return get("/healthz")[0] == 200

            try:
                eventually("the service to answer", answers, lambda: said(log), PATIENCE)
                yield
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait(PATIENCE)


def said(log):
    log.seek(0)
    return log.read().decode(errors="replace")


def run(command, status=0, environment=None, given=None):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, input=given)
    text = result.stdout.decode(errors="replace")
    if result.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {result.returncode}, not {status}:\n{text}")
    return text


def get(path, port=8080):
    """Requests a path of the service; returns the status and the body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def published():
    """Returns the posts."""
    return json.loads(get("/v1/posts")[1])["posts"]

"""The commands of Documentation/Operations.md, typed by an operator on fresh Debians.

The blocks of the page that are marked `test-package` run in their order, as a user of the system whose password sudo does not
ask for. Those with the word `new-machine` or `by-hand` run on machines of their own. A block with a path is written there; a block
of JSON without one is added to the settings. Where the page shows an output, it is compared.

No systemd runs in such a Debian: Tests/Package/machine has a systemctl that runs the commands of the units as their users,
without their sandbox, which package.py checks. `scp` copies to the next machine.
"""

import json
import os
import re
import shutil
import subprocess

from system import OUTSIDE, System, get, run

from harness.pages import ROOT, blocks, is_shown
from harness.waiting import eventually

PAGE = "Documentation/Operations.md"
OPERATOR = "harry"
SETTINGS = "etc/tintype/tintype.json"
APT = """APT::Get::Assume-Yes "true";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
"""
PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Machine(System):
    """A Debian with an operator, and with what the page's reader has in the home folder."""

    def __init__(self, pristine, name):
        super().__init__(pristine.root.with_name(name))
        run(["cp", "-a", "--one-file-system", str(pristine.root), str(self.root)])
        self.mount()
        self.path("etc/apt/apt.conf.d/90operator").write_text(APT)
        for program in (ROOT / "Tests/Package/machine").iterdir():
            # Where dpkg finds it for the scripts of packages.
            shutil.copy(program, self.path("usr/bin"))
        # These scripts ask for it.
        self.path("run/systemd/system").mkdir(parents=True)
        self.run("useradd", "--create-home", "--user-group", "--shell", "/bin/bash", OPERATOR)
        self.home = self.path(f"home/{OPERATOR}")

    def type(self, command):
        """Runs a command of the operator; returns what it prints."""
        rest, user = command, OPERATOR
        if sudo := re.match(r"sudo (?:-u (\S+) )?", command):
            rest, user = command[sudo.end():], sudo[1] or "root"
        if packages := re.match(r"apt-get install (.*)", rest):
            # The packages are fetched by way of this machine's network; the service starts in the test's own.
            self.within_home(f"apt-get install --download-only {packages[1]}", OUTSIDE)
        if user == OPERATOR:
            return self.run("runuser", "-l", OPERATOR, "-c", rest)
        return self.within_home(rest if user == "root" else f"runuser -u {user} -- {rest}")

    def within_home(self, command, within=()):
        environment = ["env", f"PATH={PATH}", f"HOME=/home/{OPERATOR}", f"USER={OPERATOR}"]
        return self.run(*environment, "bash", "-c", f"cd ~ && {command}", within=within)

    def leave(self):
        """Ends its service."""
        self.within_home("systemctl stop tintype")

    def said(self):
        log = self.path("var/log/tintype.service")
        return log.read_text() if log.exists() else ""


class Day:
    """The machines, and the packages at the page's versions."""

    def __init__(self, pristine, deb, versions):
        # The page names two versions: the installed one, and the one of the upgrade.
        self.pristine, self.deb, self.versions = pristine, deb, versions
        self.machines, self.current = {}, None

    def machine(self, name):
        """Returns a machine, which is prepared at its first use. The services of the others end: they share a network."""
        if name != self.current:
            self.leave()
            self.current = name
        if name not in self.machines:
            machine = self.machines[name] = Machine(self.pristine, name)
            getattr(self, f"prepare_{name.replace('-', '_')}")(machine)
        return self.machines[name]

    def leave(self):
        for machine in self.machines.values():
            machine.leave()

    def prepare_server(self, machine):
        for name, path in self.versions.items():
            shutil.copy(path, machine.home / name)
        digest = subprocess.run(["sha256sum", *self.versions], cwd=machine.home, capture_output=True, check=True).stdout
        (machine.home / "SHA256SUMS").write_bytes(digest)
        machine.packages("install", "curl", "logrotate")
        for path in ("etc/tintype/icon.png", f"home/{OPERATOR}/regatta.jpg"):
            machine.path(path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "Sources/CPage/Files/icon.png", machine.path("etc/tintype/icon.png"))
        shutil.copy(ROOT / "Fixtures/photo.jpg", machine.home / "regatta.jpg")
        # scp, to the machine that does not exist yet.
        (machine.path("usr/local/bin") / "scp").write_text('#!/bin/sh\nmkdir -p ~/sent\ncp "$1" "$2" ~/sent/\n')
        machine.path("usr/local/bin/scp").chmod(0o755)

    def prepare_new_machine(self, machine):
        machine.home.joinpath("installed.deb").write_bytes(self.deb.read_bytes())
        machine.type("sudo apt-get install ./installed.deb")
        machine.type(f"sudo adduser {OPERATOR} tintype")
        for file in (self.machines["server"].home / "sent").iterdir():
            shutil.copy(file, machine.home)

    def prepare_by_hand(self, machine):
        machine.packages("install", "adduser")
        unpacked = machine.root.with_name("unpacked")
        run(["dpkg-deb", "-x", str(self.deb), str(unpacked)])
        release = machine.home / ".build/release"
        release.mkdir(parents=True)
        shutil.copy(unpacked / "usr/bin/tintype", release)
        shutil.copytree(ROOT / "Scripts/packages", machine.home / "Scripts/packages")

    def run(self, block):
        names = [word for word in block.words if not word.startswith("/")]
        machine = self.machine(names[0] if names else "server")
        paths = [word for word in block.words if word.startswith("/")]
        if block.language in ("sh", "console"):
            for command, shown in block.commands():
                self.type(machine, block, command, shown)
        elif paths:
            machine.path(paths[0]).parent.mkdir(parents=True, exist_ok=True)
            machine.path(paths[0]).write_text(block.text)
        elif block.language == "json":
            settings = json.loads(machine.path(SETTINGS).read_text())
            machine.path(SETTINGS).write_text(json.dumps({**settings, **json.loads(block.text)}))
            machine.type("sudo systemctl restart tintype")
        else:
            raise AssertionError(f"{block.place}: a block in {block.language} needs a path")

    def type(self, machine, block, command, shown):
        try:
            output = machine.type(command)
        except AssertionError as failure:
            raise AssertionError(f"{block.place}: {command}\n{failure}\nthe service said:\n{machine.said()}") from None
        if shown is not None and not is_shown(output, shown):
            raise AssertionError(f"{block.place}: {command}\nthe page shows\n{shown}\nbut it is\n{output}")


def versions_on_page():
    """Returns the names of the packages on the page, in their order."""
    return list(dict.fromkeys(re.findall(r"tintype_[0-9.]+_amd64\.deb", (ROOT / PAGE).read_text())))


def check_day(pristine, deb, with_version):
    """Runs the page. `with_version` returns the package under another version."""
    first, later = versions_on_page()
    day = Day(pristine, deb, {first: deb, later: with_version(later.split("_")[1])})
    try:
        for block in blocks(PAGE):
            if block.suite == "test-package":
                print(f"package: {block.place}", flush=True)
                day.run(block)
        check_outcome(day)
    finally:
        day.leave()


def check_outcome(day):
    """Checks what the page promises, and what no block of it shows."""
    eventually("the service by hand", lambda: get("/healthz")[0] == 200, day.machine("by-hand").said)
    new = day.machine("new-machine")
    new.type("sudo systemctl start tintype")
    users = new.type("tintype user ls --storage /var/lib/tintype --json")
    if "ann@example.com" not in users:
        raise AssertionError(f"the admin is not at the new machine: {users}")
    server = day.machine("server")
    server.type("sudo systemctl restart tintype")
    done = server.path("var/lib/tintype/done/ann")
    eventually("the dropped photo to become a post", lambda: list(done.glob("regatta.jpg*")), server.said)
    check_logs(server)
    # The files that the page adds to the unit are valid.
    units = ":".join(str(server.path(folder)) for folder in ("etc/systemd/system", "lib/systemd/system"))
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "tintype.service"], env={**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if faults := [line for line in result.stdout.splitlines() if "tintype" in line and "is not executable" not in line]:
        raise AssertionError("\n".join(faults))


def check_logs(server):
    """The access log has lines, before and after its rotation."""
    log = server.path("var/log/tintype/access.log")

    def has_line():
        return log.exists() and "GET /v1/version" in log.read_text()

    server.type("curl -s http://127.0.0.1:8080/v1/version")
    eventually("a line in the access log", has_line, server.said)
    server.type("sudo logrotate --force /etc/logrotate.d/tintype")
    if not log.with_name("access.log.1").exists():
        raise AssertionError("the old log is gone")
    eventually("the service to begin a new log", log.exists, server.said)
    server.type("curl -s http://127.0.0.1:8080/v1/version")
    eventually("a line in the new log", has_line, server.said)

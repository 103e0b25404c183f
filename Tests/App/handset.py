"""A phone that runs phone.py, at the end of a wire that can be cut."""

import json
import os
import pathlib
import subprocess
import sys

from networks import TIED

from harness.waiting import eventually

PROGRAM = pathlib.Path(__file__).with_name("phone.py")


class Handset:
    def __init__(self, service, wire, file):
        self.service, self.wire, self.file = service, wire, file
        self.turn_on()

    def turn_on(self):
        self.process = subprocess.Popen(
            [*TIED, *self.wire.prefix, sys.executable, PROGRAM, self.wire.url(self.service.url), self.file],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, REQUESTS_CA_BUNDLE=str(self.service.authority.certificate)))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def tell(self, method, *arguments):
        """Returns the answer of a method of phone.Phone."""
        print(json.dumps([method, *arguments]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the phone ended at {method}")
        answer = json.loads(line)
        assert "error" not in answer, f"{method}{arguments}: {answer}"
        return answer["value"]

    def go_offline(self):
        self.wire.cut()
        self.tell("lose_network")

    def go_online(self):
        self.wire.mend()
        self.tell("renew")

    def sees(self, what, path, condition):
        """Waits until the phone's copy of a path fulfils a condition."""
        return eventually(what, lambda: condition(self.tell("kept", path)))

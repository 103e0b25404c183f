"""The built service, for tests that look at its pages."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile

from browser import eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Service:
    def __init__(self, folder, arguments):
        self.folder, self.log, self.arguments = folder, folder / "log", arguments
        self.start("127.0.0.1:0")

    def start(self, address):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [os.environ["TINTYPE"], "serve", "--storage", f"{self.folder}/Storage", "--listen", address, *self.arguments],
                stdout=log, stderr=log)
        lines = eventually("the service", lambda: [
            line for line in self.log.read_text().splitlines() if "listening on http://" in line])
        self.url = lines[0].split()[-1]

    def ask(self, path, *options):
        answer = subprocess.run(
            ["curl", "-sS", "--fail-with-body", "--unix-socket", f"{self.folder}/Storage/tintype.sock", *options,
             f"http://localhost{path}"], capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return json.loads(answer.stdout)

    def post(self, text, photo=None, alt=None):
        options = ["-F", "user=maria", "-F", f"text={text}", *(["-F", f"alt={alt}"] if alt else [])]
        return self.ask("/v1/uploads", *options, *(["-F", f"photo=@{ROOT}/Fixtures/{photo}"] if photo else []))["post_id"]


@contextlib.contextmanager
def service(*arguments):
    with tempfile.TemporaryDirectory(prefix="tintype-page-", ignore_cleanup_errors=True) as name:
        running = Service(pathlib.Path(name), arguments)
        try:
            yield running
        finally:
            running.process.terminate()
            running.process.wait()

"""The service under test, as a child process, and its client. Shares no code with it."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import urllib.parse

from harness.files import below
from harness.waiting import PATIENCE, eventually


class Connection(http.client.HTTPConnection):
    """HTTP/1.1 over a Unix domain socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        # A socket's path has at most 107 bytes.
        self.sock.connect(os.path.relpath(self.path))


class Service:
    """A Storage folder and, while it runs, `tintype serve` on it."""

    def __init__(self, binary, storage, arguments=(), log_level="warning"):
        self.binary = os.path.abspath(binary)
        self.storage = pathlib.Path(storage).absolute()
        self.arguments = ["--log-level", log_level, *arguments]
        self.socket = self.storage / "tintype.sock"
        self.log = self.storage.with_name(self.storage.name + ".log")
        self.log_start = 0
        self.process = None

    def start(self, arguments=(), environment=None, wait=True):
        """Starts it; with `wait`, returns when it answers. Returns False if it ended before it answered."""
        command = [self.binary, "serve", "--storage", str(self.storage), *self.arguments, *arguments]
        with open(self.log, "ab") as log:
            self.log_start = log.tell()
            self.process = self.spawn(command, log, {**os.environ, **(environment or {})})
        return self.wait_until_ready() if wait else True

    def spawn(self, command, log, environment):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def wait_until_ready(self, patience=PATIENCE):
        eventually("the service to answer", lambda: not self.is_running or self.answers(), self.said, patience)
        return self.is_running

    def answers(self):
        try:
            return self.request("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def said(self):
        """Returns its log since it was started."""
        return self.log.read_bytes()[self.log_start:].decode(errors="replace")

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """Ends it like the out-of-memory killer. Returns its exit code: -9, unless it had ended before."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        return self.process.wait()

    def stop(self):
        """Ends it with a signal, like a user, and returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    # Requests

    def request(self, method, path, body=None, headers=None, timeout=30, is_followed=False):
        """Sends a request; returns the status and the body. Raises OSError when no complete answer arrives.

        `is_followed` waits until the service's work after the answer is done: the connection's next request waits for it.
        """
        connection = Connection(str(self.socket), timeout)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            answer = response.status, response.read()
            if is_followed:
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            return answer
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()

    def json(self, method, path, value=None, **options):
        """The same as `request`, with JSON both ways."""
        body = None if value is None else json.dumps(value).encode()
        if body is not None:
            options["headers"] = {"Content-Type": "application/json"} | (options.get("headers") or {})
        status, answer = self.request(method, path, body, **options)
        return status, json.loads(answer) if answer else None

    def upload(self, photo, user, key, text="", wait=True):
        """Uploads a photo under an idempotency key; returns the status and the answer."""
        query = urllib.parse.urlencode({"user": user, "text": text} if text else {"user": user})
        headers = {"Idempotency-Key": key}
        if not wait:
            headers["Prefer"] = "respond-async"
        status, answer = self.request("POST", f"/v1/uploads?{query}", photo, headers)
        return status, json.loads(answer)

    def job(self, job_id):
        """Returns the current state of a job."""
        return self.json("GET", f"/v1/jobs/{job_id}")[1]

    def tus(self, method, path, headers=None, body=b""):
        """Sends a request of tus 1.0.0; returns the status and the header fields, in lower case."""
        connection = Connection(str(self.socket), 30)
        try:
            fields = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream", **(headers or {})}
            connection.request(method, path, body, fields)
            response = connection.getresponse()
            response.read()
            return response.status, {name.lower(): value for name, value in response.getheaders()}
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()

    def status(self):
        return self.json("GET", "/v1/status")[1]

    def settle(self, patience=PATIENCE):
        """Waits until no file waits and none is in work."""

        def is_settled():
            status = self.status()
            return status["queue"] == 0 and status["uploads"]["ingested"] == 0 and not self.waiting_files()

        eventually("every upload to end", is_settled, lambda: (self.status(), self.waiting_files()[:5]), patience)

    def do_job(self, order, verb=None):
        """Runs a job over posts to its end, or another action on a job; returns its id."""
        job = self.json("POST", f"/v1/jobs/{order}/{verb}" if verb else "/v1/jobs", None if verb else order)[1]["id"]
        eventually("the job to end", lambda: self.job(job)["state"] != "running", lambda: self.job(job))
        return job

    def waiting_files(self):
        """Returns the files in the inbox and the claimed ones. Hidden files, and files in hidden folders, are not finished;
        nor are uploads in pieces.
        """
        root = self.storage / "inbox"
        inbox = [path for path in below(root) if not any(part.startswith(".") for part in path.relative_to(root).parts)]
        return inbox + [path for path in (self.storage / "incoming").iterdir() if path.suffix != ".partial"]

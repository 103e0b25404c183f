"""The service under test, as a child process, and the way to speak to it. Shares no code with it."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.parse


def below(folder):
    """All files in a folder and its folders, but those that go meanwhile."""
    return [pathlib.Path(root) / name for root, _, names in os.walk(folder) for name in names]


def build_shim(library, *sources):
    """Makes a library of C sources beside this file, for LD_PRELOAD."""
    folder = pathlib.Path(__file__).resolve().parent
    compiler = os.environ.get("CC", "clang")  # It comes with Swift.
    subprocess.run(
        [compiler, "-O2", "-Wall", "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-o", library,
         *(folder / source for source in sources), "-ldl"], check=True)


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

    def __init__(self, binary, storage, arguments=()):
        self.binary = os.path.abspath(binary)
        self.storage = pathlib.Path(storage).absolute()
        self.arguments = list(arguments)
        self.socket = self.storage / "tintype.sock"
        self.log = self.storage.with_name(self.storage.name + ".log")
        self.process = None

    def start(self, arguments=(), environment=None, wait=True):
        """Starts it; with `wait`, returns when it answers. False when it ended before it did."""
        command = [self.binary, "serve", "--storage", str(self.storage), "--log-level", "warning"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command + self.arguments + list(arguments), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **(environment or {})})
        return self.wait_until_ready() if wait else True

    def wait_until_ready(self, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                return False
            try:
                if self.request("GET", "/healthz")[0] == 200:
                    return True
            except OSError:
                pass
            time.sleep(0.01)
        raise RuntimeError(f"the service does not answer; see {self.log}")

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """Ends it as the out-of-memory killer would. Its exit code: -9, unless it had ended before."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        return self.process.wait()

    def stop(self):
        """Ends it as a person would, and gives its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    # Speaking to it

    def request(self, method, path, body=None, headers=None, timeout=30, is_followed=False):
        """Sends a request; gives the status and the body. Raises OSError when no whole answer came.

        `is_followed` waits until what the service does after the answer is done: the next request of a connection does.
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
        """As `request`, with JSON both ways."""
        body = None if value is None else json.dumps(value).encode()
        if body is not None:
            options["headers"] = {"Content-Type": "application/json"} | (options.get("headers") or {})
        status, answer = self.request(method, path, body, **options)
        return status, json.loads(answer) if answer else None

    def upload(self, photo, user, key, text="", wait=True):
        """Uploads a photo under an idempotency key; gives the status and the answer."""
        query = urllib.parse.urlencode({"user": user, "text": text} if text else {"user": user})
        headers = {"Idempotency-Key": key}
        if not wait:
            headers["Prefer"] = "respond-async"
        status, answer = self.request("POST", f"/v1/uploads?{query}", photo, headers)
        return status, json.loads(answer)

    def job(self, job_id):
        """A job as it is."""
        return self.json("GET", f"/v1/jobs/{job_id}")[1]

    def tus(self, method, path, headers=None, body=b""):
        """A request of tus 1.0.0; gives the status and the header fields, in lower case."""
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

    def settle(self, seconds=120):
        """Waits until nothing waits and nothing is in work."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            status = self.status()
            if status["queue"] == 0 and status["uploads"]["ingested"] == 0 and not self.waiting_files():
                return
            time.sleep(0.02)
        raise RuntimeError(f"it does not settle: {status}, waiting: {self.waiting_files()[:5]}")

    def do_job(self, order, verb=None, seconds=60):
        """Does a job over posts to its end, or what else is to be done with one; its id."""
        job = self.json("POST", f"/v1/jobs/{order}/{verb}" if verb else "/v1/jobs", None if verb else order)[1]["id"]
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.job(job)["state"] != "running":
                return job
            time.sleep(0.02)
        raise RuntimeError(f"the job {job} does not end")

    def waiting_files(self):
        """What lies in the inbox or is claimed from it. What is hidden, or in a folder that is, nobody has finished; nor have
        the senders of photos in pieces.
        """
        root = self.storage / "inbox"
        inbox = [path for path in below(root) if not any(part.startswith(".") for part in path.relative_to(root).parts)]
        return inbox + [path for path in (self.storage / "incoming").iterdir() if path.suffix != ".partial"]

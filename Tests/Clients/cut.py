"""A proxy in front of the service that breaks in the middle, like the network of a phone."""

import contextlib
import os
import socket
import threading

ADDRESS = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]


class Cut:
    """Passes bytes of a connection to the service up to a limit; then it cuts the connection."""

    def __init__(self, limit):
        self.limit = limit
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                host, port = ADDRESS.rsplit(":", 1)
                service = socket.create_connection((host, int(port)))
                threading.Thread(target=self._pass, args=(client, service, self.limit), daemon=True).start()
                threading.Thread(target=self._pass, args=(service, client, None), daemon=True).start()

    def _pass(self, source, target, limit):
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                if limit is not None and passed + len(data) > limit:
                    self.cuts += 1
                    break
                target.sendall(data)
                passed += len(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextlib.contextmanager
def cut_after(limit):
    cut = Cut(limit)
    try:
        yield cut
    finally:
        cut.close()

"""Forwards a port of this machine to the service's Unix socket, because schemathesis requires TCP."""

import socket
import sys
import threading


def copy(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        source.close()
        target.close()


listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
while True:
    client, _ = listener.accept()
    service = socket.socket(socket.AF_UNIX)
    service.connect(sys.argv[1])
    for pair in (client, service), (service, client):
        threading.Thread(target=copy, args=pair, daemon=True).start()

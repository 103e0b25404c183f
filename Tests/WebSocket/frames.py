"""The client's side of a WebSocket (RFC 6455) over a socket that never blocks. It verifies everything that the server sends."""

import base64
import hashlib
import os
import random
import socket
import ssl
import struct

from transports import dial

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
# A socket, plain or encrypted, would have to wait.
WAITS = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Violation(Exception):
    """A violation of the protocol, as a sentence."""


class Refused(OSError):
    """A handshake that was answered with another status than 101; `status` and `head` are those of the answer."""

    def __init__(self, status, head):
        super().__init__(f"the handshake was answered with {status}")
        self.status, self.head = status, head


def request(target, host, key, headers=()):
    """Returns the bytes of a request that opens a WebSocket."""
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
             f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def frame(payload, opcode=TEXT, is_final=True, mask=None):
    """Returns the bytes of a masked frame, as clients send it."""
    mask = os.urandom(4) if mask is None else mask
    length = len(payload)
    head = bytes([(0x80 if is_final else 0) | opcode])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 65536:
        head += struct.pack(">BH", 0x80 | 126, length)
    else:
        head += struct.pack(">BQ", 0x80 | 127, length)
    repeated = (mask * (length // 4 + 1))[:length]
    return head + mask + (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")


class WebSocket:
    """An open WebSocket. `texts` reads the available frames; `send` cuts the sent bytes at positions that `choices` draws."""

    def __init__(self, address, target, host, headers=(), choices=None):
        self.choices = choices or random.Random(0)
        self.received, self.unsent = bytearray(), bytearray()
        self.tried = 0  # The number of bytes that the socket did not accept: TLS requires the same ones again.
        self.end = None  # The reason for the end of the connection; None while it is open.
        self.pongs = 0
        self.socket = dial(address)
        try:
            self.open(target, host, headers)
        except BaseException:
            self.socket.close()
            raise
        self.socket.setblocking(False)

    def open(self, target, host, headers):
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(request(target, host, key, headers))
        while b"\r\n\r\n" not in self.received:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("the connection ended in the handshake")
            self.received += data
        head, _, rest = bytes(self.received).partition(b"\r\n\r\n")
        self.received = bytearray(rest)
        check_answer(head.decode("latin-1"), key)

    # Sending

    def send(self, text):
        """Sends a text as one message, in one frame or in several (section 5.4)."""
        payload = text.encode()
        if len(payload) > 1 and self.choices.random() < 0.05:
            cut = self.choices.randrange(len(payload))
            self.write(frame(payload[:cut], is_final=False))
            self.write(frame(payload[cut:], opcode=0))
        else:
            self.write(frame(payload))

    def ping(self):
        self.pongs += 1
        self.write(frame(b"are you there", PING))

    def write(self, data):
        self.unsent += data
        self.flush()

    def flush(self):
        """Sends what the connection accepts; sometimes only its first bytes, so that frames arrive in pieces."""
        try:
            while self.unsent and self.end is None:
                few = self.choices.randrange(1, 40) if self.choices.random() < 0.05 else 65536
                self.tried = self.tried or few
                del self.unsent[:self.socket.send(self.unsent[:self.tried])]
                self.tried = 0
        except WAITS:
            pass
        except OSError as error:
            self.end = self.end or f"it was cut: {error}"

    # Receiving

    def texts(self):
        """Returns the available texts, one for each frame; none when nothing has arrived. Answers pings."""
        self.flush()
        try:
            while self.end is None:
                data = self.socket.recv(262144)
                if not data:
                    self.end = "the server ended it"
                    break
                self.received += data
        except WAITS:
            pass
        except OSError as error:
            self.end = f"it was cut: {error}"
        while (next_frame := self.next_frame()) is not None:
            yield from self.take(*next_frame)

    def next_frame(self):
        """Returns the opcode and the payload of the first complete frame; None while it is incomplete."""
        data = self.received
        if len(data) < 2:
            return None
        if data[0] & 0x70 or not data[0] & 0x80 or data[1] & 0x80:
            raise Violation(f"a frame with reserved bits, a mask or a continuation: {bytes(data[:2]).hex()}")
        length, start = data[1], 2
        if length == 126:
            length, start = int.from_bytes(data[2:4], "big"), 4
        elif length == 127:
            length, start = int.from_bytes(data[2:10], "big"), 10
        if start > 2 and len(data) >= start and length < (126 if start == 4 else 65536):
            raise Violation("the length of a frame is written with more bytes than it needs")
        if length > 65536:
            raise Violation(f"a frame of {length} bytes; 16,384 units have at most 49,152")
        if len(data) < start + length:
            return None
        opcode, payload = data[0] & 15, bytes(data[start:start + length])
        del self.received[:start + length]
        return opcode, payload

    def take(self, opcode, payload):
        if opcode == TEXT:
            try:
                yield payload.decode()
            except UnicodeDecodeError as error:
                raise Violation(f"a text that is not UTF-8: {error}") from error
        elif opcode == PING:
            self.write(frame(payload, PONG))
        elif opcode == PONG:
            self.pongs -= 1
            if self.pongs < 0 or payload != b"are you there":
                raise Violation("a pong without a ping")
        elif opcode == CLOSE:
            if len(payload) == 1:
                raise Violation("a close frame with half a code")
            code = int.from_bytes(payload[:2], "big") if payload else 1005
            self.end = f"the server closed it with {code} {payload[2:].decode()}"
        else:
            raise Violation(f"a frame with opcode {opcode}; clients know texts only")

    # Ending

    def close(self, way="cut"):
        """Ends it: by a close frame, by closing the sending side, by a reset, or like a process that dies."""
        try:
            if way == "close frame":
                self.socket.setblocking(True)
                self.socket.sendall(bytes(self.unsent) + frame(struct.pack(">H", 1000), CLOSE))
            elif way == "half":
                self.socket.shutdown(socket.SHUT_WR)
            elif way == "reset":
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.socket.close()
        self.end = self.end or "the client closed it"


def check_answer(head, key):
    """Checks the answer to a handshake against section 4.2.2, and against clients that parse it by hand."""
    first, *lines = head.split("\r\n")
    if first[:9] != "HTTP/1.1 " or first[9:12] != "101":
        raise Refused(int(first[9:12]) if first[9:12].isdigit() else 0, head)
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields.setdefault(name.lower(), []).append(value.strip())
    accept = base64.b64encode(hashlib.sha1(key.encode() + GUID).digest()).decode()
    for name, value in (("upgrade", "websocket"), ("connection", "upgrade"), ("sec-websocket-accept", accept)):
        found = fields.get(name)
        if found is None or len(found) != 1 or (found[0] if found[0] == accept else found[0].lower()) != value:
            raise Violation(f"the handshake's {name} is {found}, not {value!r}")
    for name in ("sec-websocket-extensions", "sec-websocket-protocol", "transfer-encoding"):
        if name in fields:
            raise Violation(f"the handshake has {name}: {fields[name]}")

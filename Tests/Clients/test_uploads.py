"""Photos in several requests: tuspy, and a client of "Resumable Uploads for HTTP", which are cut off in the middle, resume,
and have a post in the end."""

import hashlib
import os
import pathlib
import socket
import uuid
from urllib.parse import urljoin

import pytest
import requests
from cut import cut_after
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError

from harness.waiting import eventually

ADDRESS = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
BASE = f"http://{ADDRESS}"
PHOTO = pathlib.Path(__file__).parents[2] / "Fixtures" / "photo.jpg"


@pytest.fixture
def token():
    """The token of a new user."""
    answer = requests.post(
        f"{BASE}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any",
        json={"email": f"{uuid.uuid4().hex}@example.org", "password": "correct horse", "returnSecureToken": True},
        timeout=30)
    answer.raise_for_status()
    return answer.json()["idToken"]


def check_post(path, token, text):
    """Checks that the upload has become a post with the photo."""
    headers = {"Authorization": f"Bearer {token}"}
    upload = requests.get(BASE + path, headers=headers, timeout=60).json()
    assert upload["state"] == "published", upload
    assert upload["photos"][0]["sha256"] == hashlib.sha256(PHOTO.read_bytes()).hexdigest()
    post = requests.get(BASE + upload["post"], headers=headers, timeout=60).json()
    assert post["text"] == text
    thumb = requests.get(urljoin(BASE, post["thumb_url"]), headers=headers, timeout=60)
    assert thumb.status_code == 200 and thumb.content[:2] == b"\xff\xd8"


@pytest.mark.parametrize("checksum", [False, True])
def test_tuspy(token, checksum):
    metadata = {"filename": "lake.jpg", "text": "by tus", "alt": "A lake", "filetype": "image/jpeg"}
    headers = {"Authorization": f"Bearer {token}"}
    with cut_after(30_000) as cut:
        client = TusClient(f"http://{cut.address}/v1/uploads", headers=headers)
        uploader = client.uploader(
            str(PHOTO), metadata=metadata, chunk_size=40_000, upload_checksum=checksum)
        with pytest.raises(TusCommunicationError):
            uploader.upload()
        assert cut.cuts == 1
    path = "/v1/uploads/" + uploader.url.rsplit("/", 1)[1]
    client = TusClient(f"{BASE}/v1/uploads", headers=headers)

    def resume():
        return client.uploader(
            str(PHOTO), url=BASE + path, chunk_size=30_000, upload_checksum=checksum, metadata=metadata)

    if checksum:
        assert resume().offset == 0, "a chunk with a checksum counts as a whole"
    else:
        eventually("the bytes before the cut", lambda: 20_000 < resume().offset < 40_000)
    resume().upload()
    check_post(path, token, "by tus")
    assert client.uploader(str(PHOTO), url=BASE + path).offset == PHOTO.stat().st_size


class Draft:
    """A client of the protocol like URLSession, on a socket: it receives interim answers."""

    def __init__(self, address, token, version):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.file = self.socket.makefile("rb")
        self.version = version
        self.common = [f"Host: {ADDRESS}", f"Authorization: Bearer {token}", f"Upload-Draft-Interop-Version: {version}"]

    def begin(self, line, *fields, length=None):
        """Sends the head of a request."""
        head = [f"{line} HTTP/1.1", *self.common, *fields]
        if length is not None:
            head.append(f"Content-Length: {length}")
        self.socket.sendall(("\r\n".join(head) + "\r\n\r\n").encode())

    def answer(self):
        """Returns a status, header fields and a body; interim answers have no body."""
        status = int(self.file.readline().split()[1])
        headers = {}
        while (line := self.file.readline().decode().strip()):
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", 0)) if status >= 200 else 0
        return status, headers, self.file.read(length)

    def completeness(self, is_complete):
        if self.version == 3:
            return f"Upload-Incomplete: ?{0 if is_complete else 1}"
        return f"Upload-Complete: ?{1 if is_complete else 0}"


@pytest.mark.parametrize("version", [3, 5, 6, 8])
def test_draft(token, version):
    photo = PHOTO.read_bytes()
    with cut_after(50_000) as cut:
        phone = Draft(cut.address, token, version)
        phone.begin("POST /v1/uploads?text=by%20draft", phone.completeness(True), length=len(photo))
        status, headers, _ = phone.answer()
        assert status == 104
        assert headers["upload-draft-interop-version"] == str(version)
        location = headers["location"]
        with pytest.raises((OSError, IndexError)):
            phone.socket.sendall(photo)
            while phone.answer()[0] == 104:
                pass
        assert cut.cuts == 1
    assert location.startswith(f"http://{ADDRESS}/v1/uploads/")
    path = location.removeprefix(f"http://{ADDRESS}")
    phone = Draft(ADDRESS, token, version)

    def offset():
        phone.begin(f"HEAD {path}")
        status, headers, _ = phone.answer()
        assert status == 204
        assert headers["upload-length"] == str(len(photo))
        return int(headers["upload-offset"])

    eventually("the bytes before the cut", lambda: 40_000 < offset() < 50_000)
    come = offset()
    phone.begin(
        f"PATCH {path}", phone.completeness(True), f"Upload-Offset: {come}",
        "Content-Type: application/partial-upload", length=len(photo) - come)
    phone.socket.sendall(photo[come:])
    status, headers, body = phone.answer()
    while status == 104:
        status, headers, body = phone.answer()
    assert status == 201, body
    check_post(path, token, "by draft")

"""Clients of the bucket, while the service is killed: they store objects in one request and in several, post photos like
FriendlyPix's apps, and delete them. Also checks the invariants of the bucket afterwards.
"""

import base64
import collections
import contextlib
import hashlib
import http.client
import json
import random
import threading
import time
import urllib.parse

from harness.service import Connection

ROOT = "/v0/b/tintype.appspot.com/o"
KEEPERS = ("keeper0", "keeper1", "keeper2")
NOBODY = "every.one"  # No user has this name.
DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


def quote(text):
    return urllib.parse.quote(text, safe="")


def path(name, query=""):
    return f"{ROOT}/{quote(name)}{query}"


def push_id():
    now = time.time_ns() // 1_000_000
    time_digits = "".join(DIGITS[now >> 6 * place & 63] for place in reversed(range(8)))
    return time_digits + "".join(random.choices(DIGITS, k=12))


def digest(data):
    return hashlib.sha256(data).hexdigest()


def request(service, method, target, headers=None, body=b""):
    """Sends a request; returns the status, the header fields in lower case, and the body."""
    connection = Connection(str(service.socket), 30)
    try:
        connection.request(method, target, body, headers or {})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    except http.client.HTTPException as error:
        raise ConnectionError(str(error)) from error
    finally:
        connection.close()


class Kept:
    """The stored, posted and deleted data, according to the answers; without an answer, either may be true."""

    def __init__(self):
        self.lock = threading.Lock()
        self.objects = {}  # name → its possible contents: digests, None for no object
        self.posts = {}  # id → whether it may exist: True, False, or both
        self.free_notes, self.free_posts = [], []  # those that no client changes at this moment
        self.going = set()  # ids of posts that a client deletes, or has begun to delete
        self.unfinished = []  # uploads in several requests that no client works on at this moment
        self.lost_beginnings = 0  # uploads in several requests whose address no client received
        self.counts = collections.Counter()

    def take(self, free):
        """Removes and returns one of them for the caller; None when there is none."""
        with self.lock:
            return free.pop(random.randrange(len(free))) if free else None

    def forget_unfinished(self):
        """Forgets unfinished uploads, because they have expired."""
        for upload in self.unfinished:
            self.objects[upload["name"]] |= {None}
        self.unfinished, self.lost_beginnings = [], 0

    def check(self, bucket, posts, complain):
        """Compares it with the bucket and the posts. `complain` takes a kind and a sentence."""
        for name in bucket.documents.keys() - self.objects.keys():
            complain("unexplained", f"no client has stored {name}")
        for name, states in self.objects.items():
            found = bucket.digest(name)
            if found not in states:
                complain("lost" if found is None else "halves", f"{name} is {found}, and may be {states}")
            self.objects[name] = {found}  # Once read, a content stays.
        for upload in self.unfinished:
            if bucket.received(upload) < upload["told"]:
                complain("lost", f"{upload['name']} had {upload['told']} bytes, and has {bucket.received(upload)}")
        for post_id, states in self.posts.items():
            if (post_id in posts) not in states:
                complain("lost", f"the post {post_id} exists: {post_id in posts}; possible: {states}")
            self.posts[post_id] = {post_id in posts}
            if post_id in posts and not (posts[post_id].get("photos") and "%2Frendition%2F" in posts[post_id]["thumb_url"]):
                complain("halves", f"the post {post_id} has no renditions: {posts[post_id]}")


class Bucket:
    """The listed objects, with the metadata and the bytes of each."""

    def __init__(self, service, complain):
        self.service, self.complain = service, complain
        self.documents = {}
        names, query = [], "?maxResults=7"
        while query:
            page = service.json("GET", ROOT + query)[1]
            names += [item["name"] for item in page["items"]]
            query = f"?maxResults=7&pageToken={page['nextPageToken']}" if "nextPageToken" in page else None
        if names != sorted(set(names), key=str.encode):
            complain("halves", "the bucket is not listed in its order")
        for name in names:
            status, document = service.json("GET", path(name))
            if status != 200:
                complain("halves", f"{name} is listed, and answered with {status}")
            else:
                self.documents[name] = document
        # The id of the blob is the first part of an entity tag.
        self.folders = {document["etag"].rsplit("-", 1)[0] for document in self.documents.values()}

    def digest(self, name):
        """Returns the digest of the bytes; None without an object."""
        document = self.documents.get(name)
        if document is None:
            return None
        status, _, data = request(self.service, "GET", path(name, "?alt=media"))
        if status != 200 or not is_of(document, data):
            self.complain("halves", f"{name} has {len(data)} bytes ({status}), and is {document}")
        return digest(data)

    def received(self, upload):
        """Returns the number of received bytes of an upload in several requests; -1 if the service does not know it."""
        status, fields, _ = request(self.service, "POST", upload["target"], {"X-Goog-Upload-Command": "query"})
        return int(fields["x-goog-upload-size-received"]) if status == 200 else -1


def is_of(document, data):
    """Whether an object's metadata describes these bytes."""
    checksum = base64.b64encode(hashlib.md5(data).digest()).decode()
    return document["size"] == str(len(data)) and document["md5Hash"] == checksum


def check(status, what, expected=200):
    """Raises `Refused` for an unexpected answer, unless the service is about to end."""
    if status >= 500:
        raise ConnectionError(f"{status}")
    if status != expected:
        raise Refused(f"{what}: {status}")


class Refused(Exception):
    """The service has refused a valid request."""


class Keeper:
    """One client, for a while."""

    def __init__(self, service, ledger, photos):
        self.service, self.ledger, self.kept, self.photos = service, ledger, ledger.kept, photos
        self.user = random.choice(KEEPERS)

    def run(self):
        """Resumes unfinished uploads, then does random actions."""
        upload = self.kept.take(self.kept.unfinished)
        if upload:
            self.resume(upload)
        for _ in range(3):
            random.choice([self.store, self.store_in_pieces, self.post, self.post, self.delete_note, self.delete_post])()

    @contextlib.contextmanager
    def expecting(self, name, content):
        """During a change the object may have its old or its new content; after the answer it has the new one."""
        self.kept.objects[name] = self.kept.objects.get(name, {None}) | {content}
        yield
        self.kept.objects[name] = {content}

    # Storing

    def store(self):
        """Stores a note of random bytes, in a user's folder or in another one; or replaces one."""
        folder = random.choice([self.user, NOBODY])
        name = random.random() < 0.5 and self.kept.take(self.kept.free_notes) or f"{folder}/notes/{push_id()}.bin"
        try:
            self.put(name, random.randbytes(random.randrange(5000)))
        finally:
            self.kept.free_notes.append(name)

    def put(self, name, data):
        """Stores an object in one request, in either form; returns its metadata."""
        headers, body = {"Content-Type": "image/jpeg"}, data
        if random.random() < 0.7:
            head = b'--b\r\nContent-Type: application/json\r\n\r\n{"contentType":"image/jpeg"}\r\n--b\r\n\r\n'
            headers, body = {"Content-Type": "multipart/related; boundary=b"}, head + data + b"\r\n--b--"
        with self.expecting(name, digest(data)):
            status, _, answer = request(self.service, "POST", f"{ROOT}?name={quote(name)}", headers, body)
            self.check_answer(status, answer, name, data)
        self.kept.counts["objects"] += 1
        return json.loads(answer)

    def check_answer(self, status, answer, name, data):
        check(status, f"{name} was answered with {answer[:200]}")
        document = json.loads(answer)
        if document["name"] != name or not is_of(document, data):
            raise Refused(f"{name} of {len(data)} bytes is {document}")

    def store_in_pieces(self):
        """Stores a photo in several requests."""
        self.resume(self.begin(self.photo_name("full", push_id()), self.photo(), is_ranged=random.random() < 0.4))

    def begin(self, name, data, is_ranged):
        """Begins an upload with `X-Goog-Upload-…`, or for `Content-Range`. Returns its state."""
        query, fields = f"name={quote(name)}", {"X-Upload-Content-Type": "image/jpeg"}
        if is_ranged:
            query += "&uploadType=resumable"
        else:
            fields = {
                "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
                "X-Goog-Upload-Header-Content-Type": "image/jpeg",
                "X-Goog-Upload-Header-Content-Length": str(len(data))}
        with self.kept.lock:
            self.kept.lost_beginnings += 1
        status, headers, _ = request(self.service, "POST", f"{ROOT}?{query}", fields)
        check(status, f"{name} could not be begun")
        with self.kept.lock:
            self.kept.lost_beginnings -= 1
        url = urllib.parse.urlsplit(headers["location" if is_ranged else "x-goog-upload-url"])
        upload_id = urllib.parse.parse_qs(url.query)["upload_id"][0].split(".")[0]
        return {
            "id": upload_id, "target": f"{url.path}?{url.query}", "name": name, "data": data, "told": 0,
            "is_ranged": is_ranged}

    def resume(self, upload):
        """Resumes from the service's offset, to the end."""
        name, data = upload["name"], upload["data"]
        try:
            with self.expecting(name, digest(data)):
                answer = None
                while answer is None:
                    answer = self.look(upload) or self.send(upload)
                self.check_answer(200, answer, name, data)
        except OSError:
            self.kept.unfinished.append(upload)
            raise
        self.kept.counts["resumed"] += 1

    def look(self, upload):
        """Requests the offset: acknowledged bytes must be included. Returns the final answer if the upload is complete."""
        if upload["is_ranged"]:
            fields = {"Content-Range": f"bytes */{len(upload['data'])}"}
            status, headers, answer = request(self.service, "PUT", upload["target"], fields)
            offset = None if status == 200 else int(headers.get("range", "bytes=0--1")[len("bytes=0-"):]) + 1
            check(status, f"{upload['name']}, of which {upload['told']} bytes had arrived", 200 if offset is None else 308)
        else:
            status, headers, answer = request(self.service, "POST", upload["target"], {"X-Goog-Upload-Command": "query"})
            check(status, f"{upload['name']}, of which {upload['told']} bytes had arrived")
            is_final = headers["x-goog-upload-status"] == "final"
            offset = None if is_final else int(headers["x-goog-upload-size-received"])
        if offset is None:
            return answer
        if offset < upload["told"]:
            raise Refused(f"{upload['name']} had {upload['told']} bytes, and has {offset}")
        upload["told"] = offset
        return None

    def send(self, upload):
        """Sends some bytes. Returns the answer to the last of them."""
        name, data, start = upload["name"], upload["data"], upload["told"]
        piece = data[start : start + random.randrange(1, 3000)]
        end = start + len(piece)
        is_last = end == len(data)
        if upload["is_ranged"]:
            fields = {"Content-Range": f"bytes {start}-{end - 1}/{len(data) if is_last else '*'}"}
        else:
            fields = {
                "X-Goog-Upload-Command": "upload, finalize" if is_last else "upload", "X-Goog-Upload-Offset": str(start)}
        method = "PUT" if upload["is_ranged"] else "POST"
        status, _, answer = request(self.service, method, upload["target"], fields, piece)
        check(status, f"bytes of {name} from {start} on", 308 if upload["is_ranged"] and not is_last else 200)
        upload["told"] = end
        return answer if is_last else None

    # Posts

    def photo(self):
        photo = self.photos.next()
        self.ledger.offer(photo, self.user, "bucket")
        return photo

    def photo_name(self, size, folder):
        return f"{self.user}/{size}/{folder}/photo.jpg"

    def post(self):
        """Posts like the web client of FriendlyPix: two objects, then one update."""
        post_id, urls, uris = push_id(), {}, {}
        for size, photo in (("full", self.photo()), ("thumb", self.photos.next())):
            name = self.photo_name(size, post_id)
            token = self.put(name, photo)["downloadTokens"]
            urls[size] = f"http://localhost{path(name, f'?alt=media&token={token}')}"
            uris[size] = f"gs://tintype.appspot.com/{name}"
        author = {"uid": self.user, "full_name": "Anonymous", "profile_picture": "https://x.example/p.jpg"}
        record = {
            "full_url": urls["full"], "thumb_url": urls["thumb"], "full_storage_uri": uris["full"],
            "thumb_storage_uri": uris["thumb"], "text": "#kept", "timestamp": {".sv": "timestamp"}, "author": author}
        place, *lists = self.places(self.user, post_id)
        self.kept.posts[post_id] = {True, False}
        self.update({place: record, **dict.fromkeys(lists, True)})
        self.kept.posts[post_id] = {True}
        self.kept.free_posts.append((self.user, post_id))
        self.kept.counts["posts"] += 1

    def places(self, user, post_id):
        return [f"posts/{post_id}", f"people/{user}/posts/{post_id}", f"feed/{user}/{post_id}"]

    def update(self, values):
        status, answer = self.service.json("PATCH", "/.json", values)
        check(status, f"an update was answered with {answer}")

    # Deleting

    def delete_note(self):
        name = self.kept.take(self.kept.free_notes)
        if name:
            self.remove(name)

    def delete_post(self):
        """Deletes a post and its objects, in either order."""
        user, post_id = self.kept.take(self.kept.free_posts) or (None, None)
        if post_id is None:
            return
        self.kept.going.add(post_id)
        objects = [f"{user}/{size}/{post_id}/photo.jpg" for size in ("full", "thumb")]
        steps = [lambda: self.remove_post(user, post_id), lambda: [self.remove(name) for name in objects]]
        for step in random.sample(steps, 2):
            step()

    def remove_post(self, user, post_id):
        self.kept.posts[post_id] = {True, False}
        if random.random() < 0.5:
            self.update(dict.fromkeys(self.places(user, post_id)))
        else:
            check(self.service.request("DELETE", f"/v1/posts/{post_id}")[0], f"{post_id} could not be deleted")
        self.kept.posts[post_id] = {False}
        self.kept.counts["removed"] += 1

    def remove(self, name):
        is_certain = None not in self.kept.objects[name]
        with self.expecting(name, None):
            status, _, _ = request(self.service, "DELETE", path(name))
            if is_certain or status != 404:
                check(status, f"{name} could not be deleted", 204)
        self.kept.counts["removed"] += 1

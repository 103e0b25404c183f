"""What must be true of a Storage folder whose service has settled, however often it was killed before.

It sees what a client and an operator see: HTTP and files. It shares no code with the service, and what was acknowledged it
is told by those who were there: see `Ledger`.
"""

import hashlib
import json
import threading

from load import THINNED
from objects import KEEPERS, Bucket, Kept
from speakers import Spoken

from harness.files import below


class Ledger:
    """What went in and what was answered, kept outside of the service."""

    def __init__(self):
        self.lock = threading.Lock()
        self.contents = {}  # SHA-256 of a photo → (user, the intake by which it went in)
        self.acknowledged = {}  # post id → SHA-256
        self.deleted = set()  # post ids whose deletion was answered
        self.unfinished = []  # uploads in pieces: where, which photo, and the offset that was told
        self.maybe_deleted = set()  # post ids whose deletion was asked for
        self.spoken = Spoken()  # what clients of the WebSocket protocol have done
        self.kept = Kept()  # what clients of the bucket have done

    def offer(self, photo, user, intake):
        with self.lock:
            self.contents[digest(photo)] = (user, intake)

    def acknowledge(self, post_id, photo):
        with self.lock:
            self.acknowledged[post_id] = digest(photo)


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Check:
    """One look at everything. `problems` are sentences; empty when all is well.

    `is_last`: nobody comes back to finish what is unfinished, and the time is over for which its bytes are kept.
    """

    def __init__(self, service, ledger, is_last=False):
        self.service, self.ledger, self.is_last = service, ledger, is_last
        self.counts = {"lost": 0, "duplicates": 0, "halves": 0, "orphans": 0, "gaps": 0, "unexplained": 0}
        self.problems = []
        tree = service.json("GET", "/.json")[1] or {}
        self.posts = tree.get("posts") or {}
        self.people = tree.get("people") or {}
        self.feeds = tree.get("feed") or {}
        self.originals = {}
        self.bucket = Bucket(service, self.complain)
        self.check_posts()
        self.check_references()
        self.check_order()
        self.check_contents()
        self.check_acknowledged()
        self.check_hashtags(tree.get("hashtags") or {})
        self.check_files()
        self.check_unclaimed()
        self.check_audit()
        self.check_unfinished()
        self.check_change_log(tree)
        ledger.kept.check(self.bucket, self.posts, self.complain)
        # Whether what a client left to be done after it is not done yet.
        self.is_early = ledger.spoken.check(normal(tree) or {}, self.complain)

    def complain(self, kind, sentence):
        self.counts[kind] += 1
        self.problems.append(f"{kind}: {sentence}")

    def check_posts(self):
        """Every post has each blob, whole, and its places among the author's posts and in the feed."""
        for post_id, post in self.posts.items():
            user = post["author"]["uid"]
            if (self.people.get(user, {}).get("posts") or {}).get(post_id) is not True:
                self.complain("halves", f"people/{user}/posts lacks {post_id}")
            if (self.feeds.get(user) or {}).get(post_id) is not True:
                self.complain("halves", f"feed/{user} lacks {post_id}")
            for name, rendition in renditions(post):
                self.check_rendition(post_id, name, rendition)
            if user in THINNED:
                # Its original is another file by now, or none; the audit knows it by its hash.
                content = self.ledger.acknowledged.get(post_id)
                self.originals[post_id] = [content] if content else []
                continue
            # Beside the renditions: an app's post shows those of an object.
            folders = {self.service.storage / rendition["storage_uri"].rsplit("/", 1)[0] for _, rendition in renditions(post)}
            found = sorted(path for folder in folders for path in folder.glob("original*"))
            if len(found) != len(as_list(post.get("photos"))):
                self.complain("halves", f"post {post_id} has {len(found)} originals")
            self.originals[post_id] = [digest(path.read_bytes()) for path in found]

    def check_rendition(self, post_id, name, rendition):
        path = self.service.storage / rendition["storage_uri"]
        try:
            data = path.read_bytes()
        except OSError as error:
            return self.complain("halves", f"post {post_id} lacks {name}: {error}")
        if len(data) != rendition["bytes"] or data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
            self.complain("halves", f"{path} is no whole JPEG of {rendition['bytes']} bytes")

    def check_references(self):
        """Nobody's list names a post that is not there."""
        for user, person in self.people.items():
            for post_id in person.get("posts") or {}:
                if post_id not in self.posts:
                    self.complain("halves", f"people/{user}/posts names {post_id}, which is no post")
        for user, feed in self.feeds.items():
            for post_id in feed or {}:
                if post_id not in self.posts:
                    self.complain("halves", f"feed/{user} names {post_id}, which is no post")

    def check_order(self):
        """The list of all posts and those of their authors have each post once, in the order of their commits."""
        authors = {post["author"]["uid"] for post in self.posts.values()}
        for path, user in [("/v1/posts", None), *((f"/v1/people/{user}/posts", user) for user in sorted(authors))]:
            listed, query = [], "?limit=200"
            while query:
                page = self.service.json("GET", path + query)[1]
                listed += page["posts"]
                query = f"?limit=200&before={page['next']}" if page["has_more"] else None
            expected = [post_id for post_id, post in self.posts.items() if user in (None, post["author"]["uid"])]
            if sorted(post["post_id"] for post in listed) != sorted(expected):
                self.complain("halves", f"{path} has {len(listed)} posts, and there are {len(expected)}")
            positions = [post["published"] for post in listed]
            if positions != sorted(set(positions), reverse=True):
                self.complain("halves", f"{path} is not in the order of publication")

    def check_contents(self):
        """Each photo that was offered is at most one post, of the one who offered it, and byte for byte the same."""
        seen = {}
        for post_id, originals in self.originals.items():
            for content in originals:
                if content not in self.ledger.contents:
                    self.complain("unexplained", f"post {post_id} has a photo that nobody offered")
                elif self.ledger.contents[content][0] != self.posts[post_id]["author"]["uid"]:
                    self.complain("unexplained", f"post {post_id} is somebody else's")
                if content in seen:
                    self.complain("duplicates", f"posts {seen[content]} and {post_id} are one photo")
                seen[content] = post_id
        self.published = seen
        deleted = {self.ledger.acknowledged.get(post_id) for post_id in self.ledger.maybe_deleted}
        failed = {digest(path.read_bytes()) for path in files_in(self.service.storage / "failed")}
        for content in failed & self.ledger.contents.keys():
            self.complain("unexplained", f"a good file of {self.ledger.contents[content][0]}, {content[:12]}, failed")
        done = {digest(path.read_bytes()) for path in files_in(self.service.storage / "done")}
        for content, (user, intake) in self.ledger.contents.items():
            if intake == "inbox" and content not in seen and content not in deleted | failed | done:
                self.complain("lost", f"a file of {user}, {content[:12]}, is neither a post nor put aside")
            elif intake == "inbox" and content in done and content not in seen and content not in deleted:
                self.complain("lost", f"a file of {user}, {content[:12]}, has a receipt, and is no post")

    def check_acknowledged(self):
        """What was answered with success is there, or failed with a reason."""
        for post_id, content in self.ledger.acknowledged.items():
            if post_id in self.ledger.maybe_deleted:
                if post_id in self.ledger.deleted and post_id in self.posts:
                    self.complain("lost", f"the deletion of {post_id} was acknowledged and lost")
                continue
            if content in self.originals.get(post_id, []):
                continue
            status, upload = self.service.json("GET", f"/v1/uploads/{post_id}")
            if status != 200 or upload.get("state") != "failed" or not upload.get("error", {}).get("code"):
                self.complain("lost", f"upload {post_id} was acknowledged: {status} {json.dumps(upload)[:200]}")

    def check_hashtags(self, hashtags):
        """No hashtag names a post that was deleted, once the sweep has been there."""
        for tag, posts in hashtags.items():
            for post_id in posts:
                if post_id not in self.posts:
                    self.complain("orphans", f"hashtags/{tag} names {post_id}, which is no post")

    def check_unclaimed(self):
        """Files that no deletion explains are kept for a person to look at; the service itself makes none, however it
        dies. Nor does it ever take its tree and its blobs for those of two stores."""
        for line in self.service.request("GET", "/v1/unclaimed")[1].splitlines():
            self.complain("orphans", f"unclaimed: {line.decode()}")
        sweeps = self.service.status()["sweeps"]
        if sweeps["status"] != "on":
            self.complain("unexplained", f"nothing is swept: {sweeps}")

    def check_audit(self):
        """The service's own audit finds nothing, in the bytes of files neither."""
        for line in self.service.request("POST", "/v1/audit?action=verify")[1].splitlines():
            found = json.loads(line)
            if "error" in found:
                self.complain("unexplained", f"audit: {found}")
            elif "kind" in found:
                kind = "orphans" if found["remedy"] == "gc" or found["kind"] == "entry_dangling" else "unexplained"
                self.complain(kind, f"audit: {found['kind']} {found['path']}: {found['message']}")

    def check_files(self):
        """No blob without a post or an object, nothing on its way, no temporary file."""
        named = {}  # Names of renditions by the names of their folders.
        for post in self.posts.values():
            for _, rendition in renditions(post):
                _, folder, name = rendition["storage_uri"].rsplit("/", 2)
                named.setdefault(folder, set()).add(name)
        for user in entries(self.service.storage / "blobs"):
            if user.name == ".store.json":
                continue
            for folder in entries(user):
                if folder.name in named:
                    self.check_folder(folder, named[folder.name])
                elif not self.is_needed(folder):
                    self.complain("orphans", f"{folder} belongs to no post and to no object")
        nameless = self.ledger.kept.lost_beginnings
        for path in entries(self.service.storage / "incoming"):
            if path.suffix == ".partial" and self.is_unfinished(path.stem):
                continue
            nameless -= path.suffix == ".partial"
            if path.suffix != ".partial" or nameless < 0:
                self.complain("orphans", f"{path} is left over")
        for folder in ("blobs", "done", "failed", "inbox"):
            for path in below(self.service.storage / folder):
                if path.suffix == ".part":
                    self.complain("orphans", f"{path} is left over")

    def check_folder(self, folder, names):
        for path in entries(folder):
            if path.name not in names and not path.name.startswith("original"):
                self.complain("orphans", f"{path} belongs to no post")

    def is_needed(self, folder):
        """Whether files that no post shows have to be there. Bytes that were to become an object are kept for some minutes,
        and the service says itself if it cannot explain them."""
        is_keepers = folder.parent.name in (*KEEPERS, "bucket.objects")
        return folder.name in self.bucket.folders or self.is_unfinished(folder.name) or is_keepers and not self.is_last

    def is_unfinished(self, upload_id):
        if any(upload["id"] == upload_id for upload in self.ledger.kept.unfinished):
            return True
        status, upload = self.service.json("GET", f"/v1/uploads/{upload_id}")
        return status == 200 and upload["state"] in ("reserved", "draft", "receiving")

    def check_unfinished(self):
        """What its sender was told of a photo in pieces is there; a photo that is whole has become a post."""
        for upload in self.ledger.unfinished:
            _, document = self.service.json("GET", upload["path"])
            stands = document.get("received_bytes", -1) if document["state"] == "receiving" else len(upload["photo"])
            if document["state"] not in ("receiving", "published") or stands < upload["told"]:
                self.complain("lost", f"{upload['path']} had {upload['told']} bytes, and is {document}")

    def check_change_log(self, tree):
        """The changes, applied to nothing, give the tree; their tokens go up."""
        replayed, token = {}, "0"
        while True:
            status, page = self.service.json("GET", f"/v1/changes?since={token}&limit=1000")
            if status == 410:
                return  # Older changes were dropped, by design.
            if status != 200:
                return self.complain("gaps", f"the change log cannot be read: {status} {page}")
            for change in page["changes"]:
                if int(change["token"]) <= int(token):
                    self.complain("gaps", f"token {change['token']} comes after {token}")
                token = change["token"]
                for write in change["writes"]:
                    apply(replayed, write["path"], write["value"])
            token = page["token"]
            if not page["more"]:
                break
        if normal(replayed) != normal(tree):
            self.complain("gaps", "the change log does not give the tree")


def entries(folder):
    """What is in a folder; nothing when it was deleted meanwhile, as garbage is."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def files_in(folder):
    return [path for path in below(folder) if not path.name.endswith(".json")]


def renditions(post):
    """All of a post's photos, with their names."""
    return [item for photo in as_list(post.get("photos")) for item in photo["renditions"].items()]


def as_list(value):
    """A list of the tree's: JSON shows it as an array, or as an object when it has gaps."""
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    return [item for item in value or [] if item is not None]


def apply(tree, path, value):
    *folders, name = [part for part in path.split("/") if part] or [None]
    if name is None:
        tree.clear()
        tree.update(value or {})
        return
    for folder in folders:
        tree = tree.setdefault(folder, {})
    if value is None:
        tree.pop(name, None)
    else:
        tree[name] = value


def normal(value):
    """Without empty objects, which the tree does not know, and without arrays."""
    if isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}
    if not isinstance(value, dict):
        return value
    items = {key: normal(item) for key, item in value.items()}
    return {key: item for key, item in items.items() if item is not None and item != {}}

"""The invariants of a Storage folder whose service is idle, however often it was killed before.

It checks only what clients and operators see: HTTP and files. It shares no code with the service, and reads the acknowledged
data from the record of the clients: see `Ledger`.
"""

import hashlib
import json
import threading

from load import THINNED
from objects import KEEPERS, Bucket, Kept
from speakers import Spoken

from harness.files import below


class Ledger:
    """The offered data and the answers, recorded outside of the service."""

    def __init__(self):
        self.lock = threading.Lock()
        self.contents = {}  # SHA-256 of a photo → (user, the intake that it was sent to)
        self.acknowledged = {}  # post id → SHA-256
        self.deleted = set()  # post ids whose deletion was answered
        self.unfinished = []  # uploads in pieces: the path, the photo, and the last answered offset
        self.maybe_deleted = set()  # post ids whose deletion was requested
        self.spoken = Spoken()  # the actions of clients of the WebSocket protocol
        self.kept = Kept()  # the actions of clients of the bucket

    def offer(self, photo, user, intake):
        with self.lock:
            self.contents[digest(photo)] = (user, intake)

    def acknowledge(self, post_id, photo):
        with self.lock:
            self.acknowledged[post_id] = digest(photo)


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Check:
    """One check of everything. `problems` are sentences; it is empty when all is well.

    `is_last`: no client will finish unfinished uploads, and the time for which their bytes are kept is over.
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
        # Whether a disconnect write of a client is still missing.
        self.is_early = ledger.spoken.check(normal(tree) or {}, self.complain)

    def complain(self, kind, sentence):
        self.counts[kind] += 1
        self.problems.append(f"{kind}: {sentence}")

    def check_posts(self):
        """Every post has each blob, complete, and its entries among the author's posts and in the feed."""
        for post_id, post in self.posts.items():
            user = post["author"]["uid"]
            if (self.people.get(user, {}).get("posts") or {}).get(post_id) is not True:
                self.complain("halves", f"people/{user}/posts lacks {post_id}")
            if (self.feeds.get(user) or {}).get(post_id) is not True:
                self.complain("halves", f"feed/{user} lacks {post_id}")
            for name, rendition in renditions(post):
                self.check_rendition(post_id, name, rendition)
            if user in THINNED:
                # Its original has been replaced or dropped; the audit checks it by its hash.
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
            self.complain("halves", f"{path} is not a complete JPEG of {rendition['bytes']} bytes")

    def check_references(self):
        """No list names a post that does not exist."""
        for user, person in self.people.items():
            for post_id in person.get("posts") or {}:
                if post_id not in self.posts:
                    self.complain("halves", f"people/{user}/posts names {post_id}, which does not exist")
        for user, feed in self.feeds.items():
            for post_id in feed or {}:
                if post_id not in self.posts:
                    self.complain("halves", f"feed/{user} names {post_id}, which does not exist")

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
                self.complain("halves", f"{path} has {len(listed)} posts instead of {len(expected)}")
            positions = [post["published"] for post in listed]
            if positions != sorted(set(positions), reverse=True):
                self.complain("halves", f"{path} is not in the order of publication")

    def check_contents(self):
        """Each offered photo is at most one post, of the user who offered it, and byte for byte the same."""
        seen = {}
        for post_id, originals in self.originals.items():
            for content in originals:
                if content not in self.ledger.contents:
                    self.complain("unexplained", f"post {post_id} has a photo that was never offered")
                elif self.ledger.contents[content][0] != self.posts[post_id]["author"]["uid"]:
                    self.complain("unexplained", f"post {post_id} has the wrong author")
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
                self.complain("lost", f"a file of {user}, {content[:12]}, has a receipt, and is not a post")

    def check_acknowledged(self):
        """A successful answer means that the post exists, or failed with a reason."""
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
        """No hashtag names a post that was deleted, once the sweep has run."""
        for tag, posts in hashtags.items():
            for post_id in posts:
                if post_id not in self.posts:
                    self.complain("orphans", f"hashtags/{tag} names {post_id}, which does not exist")

    def check_unclaimed(self):
        """Files that no deletion explains are kept for the operator; the service itself creates none, however it
        ends. It also never takes its tree and its blobs for those of two stores."""
        for line in self.service.request("GET", "/v1/unclaimed")[1].splitlines():
            self.complain("orphans", f"unclaimed: {line.decode()}")
        sweeps = self.service.status()["sweeps"]
        if sweeps["status"] != "on":
            self.complain("unexplained", f"nothing is swept: {sweeps}")

    def check_audit(self):
        """The service's own audit finds nothing, also in the bytes of files."""
        for line in self.service.request("POST", "/v1/audit?action=verify")[1].splitlines():
            found = json.loads(line)
            if "error" in found:
                self.complain("unexplained", f"audit: {found}")
            elif "kind" in found:
                kind = "orphans" if found["remedy"] == "gc" or found["kind"] == "entry_dangling" else "unexplained"
                self.complain(kind, f"audit: {found['kind']} {found['path']}: {found['message']}")

    def check_files(self):
        """There is no blob without a post or an object, no file in progress, and no temporary file."""
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
        """Whether files that no post shows must be kept. Bytes of unfinished objects are kept for some minutes,
        and the service itself reports unexplained ones."""
        is_keepers = folder.parent.name in (*KEEPERS, "bucket.objects")
        return folder.name in self.bucket.folders or self.is_unfinished(folder.name) or is_keepers and not self.is_last

    def is_unfinished(self, upload_id):
        if any(upload["id"] == upload_id for upload in self.ledger.kept.unfinished):
            return True
        status, upload = self.service.json("GET", f"/v1/uploads/{upload_id}")
        return status == 200 and upload["state"] in ("reserved", "draft", "receiving")

    def check_unfinished(self):
        """The answered offset of a photo in pieces is durable; a complete photo has become a post."""
        for upload in self.ledger.unfinished:
            _, document = self.service.json("GET", upload["path"])
            stands = document.get("received_bytes", -1) if document["state"] == "receiving" else len(upload["photo"])
            if document["state"] not in ("receiving", "published") or stands < upload["told"]:
                self.complain("lost", f"{upload['path']} had {upload['told']} bytes, and is {document}")

    def check_change_log(self, tree):
        """The changes, applied to an empty tree, result in the tree; their tokens increase."""
        replayed, token = {}, "0"
        while True:
            status, page = self.service.json("GET", f"/v1/changes?since={token}&limit=1000")
            if status == 410:
                return  # Older changes were dropped, by design.
            if status != 200:
                return self.complain("gaps", f"the change log cannot be read: {status} {page}")
            for change in page["changes"]:
                if int(change["token"]) <= int(token):
                    self.complain("gaps", f"token {change['token']} follows {token}")
                token = change["token"]
                for write in change["writes"]:
                    apply(replayed, write["path"], write["value"])
            token = page["token"]
            if not page["more"]:
                break
        if normal(replayed) != normal(tree):
            self.complain("gaps", "the change log does not result in the tree")


def entries(folder):
    """Returns the entries of a folder; none when it was deleted meanwhile, like garbage."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def files_in(folder):
    return [path for path in below(folder) if not path.name.endswith(".json")]


def renditions(post):
    """Returns all of a post's photos, with their names."""
    return [item for photo in as_list(post.get("photos")) for item in photo["renditions"].items()]


def as_list(value):
    """Returns a list of the tree: JSON shows it as an array, or as an object when it has gaps."""
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
    """Returns the value without empty objects, which the tree does not store, and without arrays."""
    if isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}
    if not isinstance(value, dict):
        return value
    items = {key: normal(item) for key, item in value.items()}
    return {key: item for key, item in items.items() if item is not None and item != {}}

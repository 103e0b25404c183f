"""The invariants of the social model when the service is idle, however often it was killed before: compares the data that
clients and operators see with the models of the clients."""

import collections
import json
import urllib.parse

from social_audience_check import AudienceLook
from social_model import key
from social_photos import PhotoLook

from harness.waiting import eventually


def settle(service):
    """Waits until no job is left and no delivery waits."""

    def waiting():
        return service.json("GET", "/v1/outbox?state=waiting")[1]["deliveries"]

    def is_settled():
        status = service.status()
        return "jobs" not in status and status["queue"] == 0 and not waiting()

    eventually("all jobs and deliveries to end", is_settled, lambda: (service.status(), waiting()[:3]))


def deliveries(path):
    """Returns the input of the command, in order; a killed command has written nothing."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


class Look(AudienceLook, PhotoLook):
    """One check of all data of some people."""

    def __init__(self, group, tree, got):
        self.group, self.model, self.tree = group, group.model, tree
        self.check_facts()
        self.check_numbers()
        self.check_gone()
        self.check_names()
        for uid in self.model.present():
            self.check_feed(uid)
            self.check_notifications(uid)
            self.check_marks(uid)
            self.check_likes(uid)
            self.check_deliveries(uid, got)
        self.check_tag()
        self.check_audiences()
        self.check_story_posts()
        self.check_photos()

    def at(self, path):
        value = self.tree
        for part in path.split("/"):
            if isinstance(value, list):
                value = dict(enumerate(value)).get(int(part)) if part.isdigit() else None
            else:
                value = (value or {}).get(part)
        return value

    def keys(self, path):
        value = self.at(path) or {}
        return set(value) if isinstance(value, dict) else {str(n) for n, item in enumerate(value) if item is not None}

    def expect(self, what, found, expected):
        if found == expected:
            return
        if isinstance(expected, (list, set)):
            missing, more = [item for item in expected if item not in found], [item for item in found if item not in expected]
            self.group.complain(f"{what}: missing {missing}, unexpected {more}, or out of order: {sorted(found)[:20]}")
        else:
            self.group.complain(f"{what}: expected {expected}, found {found}")

    def check_facts(self):
        model = self.model
        everybody = model.people
        theirs = {post for post, record in (self.at("posts") or {}).items() if record["author"]["uid"] in everybody}
        self.expect("posts", theirs, set(model.posts))
        for post, record in model.posts.items():
            self.check_author(f"posts/{post}", record)
            likes = {uid for liked, uid in model.likes if liked == post}
            comments = {comment for commented, comment in model.comments if commented == post}
            self.expect(f"likes of {post}", self.keys(f"likes/{post}"), likes)
            self.expect(f"comments on {post}", self.keys(f"comments/{post}"), comments)
            self.expect(f"numbers of {post}", self.at(f"stats/posts/{post}"), numbers(likes=likes, comments=comments))
            has_tag = self.at(f"hashtags/{self.group.tag}/{post}") is not None
            self.expect(f"hashtag of {post}", has_tag, "#" in record["text"])
        for (post, comment), record in model.comments.items():
            self.check_author(f"comments/{post}/{comment}", record)
            self.expect(f"text of {comment}", self.at(f"comments/{post}/{comment}/text"), record["text"])
        positions = [self.at(f"posts/{post}/published") for post in model.posts]
        positions = [position for position in positions if position is not None]
        self.expect("the order of publication", positions, sorted(positions))

    def check_author(self, path, record):
        self.expect(f"author of {path}", self.at(f"{path}/author"), self.model.author(record["author"]))

    def check_numbers(self):
        model = self.model
        for uid in model.present():
            posts = {post for post, record in model.posts.items() if record["author"] == uid}
            following = {other for one, other in model.follows if one == uid}
            followers = {one for one, other in model.follows if other == uid}
            for path, expected in [
                (f"people/{uid}/posts", posts), (f"people/{uid}/following", following), (f"followers/{uid}", followers),
                (f"blocking/{uid}", {other for one, other in model.blocks if one == uid}),
                (f"blocked/{uid}", {one for one, other in model.blocks if other == uid}),
            ]:
                self.expect(path, self.keys(path), expected)
            counts = numbers(posts=posts, followers=followers, following=following)
            self.expect(f"numbers of {uid}", self.at(f"stats/people/{uid}"), counts)

    def check_gone(self):
        """No data of deleted people is left."""
        for uid in self.model.gone:
            for root in ["people", "followers", "blocking", "blocked", "feed", "notifications", "unread", "stats/people",
                         "privacy"]:
                self.expect(f"{root}/{uid}", self.at(f"{root}/{uid}"), None)
            status, receipt = self.group.ask("GET", f"/v1/people/{uid}/deletion")
            self.expect(f"deletion of {uid}", status == 200 and "ended" in receipt, True)

    def check_names(self):
        """Everybody who agrees is found by both forms of their name, and by no earlier one."""
        for uid in self.model.present():
            words, is_found = self.model.names[uid].lower().replace("é", "e").split(), uid not in self.model.hidden
            index = {"full_name": " ".join(words), "reversed_full_name": " ".join(reversed(words))}
            self.expect(f"search keys of {uid}", self.at(f"people/{uid}/_search_index"), index if is_found else None)
            for form in index.values():
                page = self.group.ask("GET", f"/v1/people?{urllib.parse.urlencode({'search': form})}")[1]
                self.expect(f"the people that {form} finds", uid in [person["uid"] for person in page["people"]], is_found)
            self.expect(f"what {uid} agrees to", (self.at(f"privacy/{uid}") or {}).get("social", True), is_found)

    def check_feed(self, uid):
        for _ in range(40):
            found, is_complete = self.group.walk(uid, 7)
            if is_complete:
                break
        expected = self.model.feed(uid)
        self.expect(f"feed of {uid}", found, expected)
        # The first reading removes the entries that it skips.
        self.group.walk(uid, 50)
        entries = set(self.group.read(f"feed/{uid}") or {})
        hidden = {post for post, record in self.model.posts.items()
                  if (uid, record["author"]) in self.model.follows and self.model.are_blocked(uid, record["author"])}
        self.expect(f"feed/{uid}", entries - hidden, set(expected))

    def check_marks(self, uid):
        """The marks that FriendlyPix's clients use: the followee's last post, at both sides of a follow."""
        for one, other in self.model.follows:
            if one != uid:
                continue
            marks = [self.group.read(f"people/{one}/following/{other}"), self.group.read(f"followers/{other}/{one}")]
            theirs = [post for post, record in self.model.posts.items() if record["author"] == other]
            # A mark stays when its post is deleted.
            is_right = marks[0] == theirs[-1:][0] if marks[0] in self.model.posts else bool(marks[0] is not True or not theirs)
            if marks[0] != marks[1] or not is_right:
                self.group.complain(f"the marks of {one} at {other} are {marks}, the posts {theirs}")

    def check_notifications(self, uid):
        rows, unread = self.group.notices(uid)
        expected = self.model.told[uid]
        found = [(key(row), row["unread"]) for row in rows]
        wanted = [(key(notice), notice["unread"]) for notice in expected]
        self.expect(f"notifications of {uid}", found, wanted)
        number = sum(notice["unread"] for notice in expected)
        self.expect(f"unread notifications of {uid}", (unread, self.at(f"unread/{uid}") or 0), (number, number))

    def check_likes(self, uid):
        found, query = [], "?limit=100"
        while query:
            page = self.group.ask("GET", f"/v1/people/{uid}/likes{query}")[1]
            found += [post["post_id"] for post in page["posts"]]
            query = f"?limit=100&before={page['next']}" if page["has_more"] else None
        self.expect(f"what {uid} likes", found, sorted((post for post, by in self.model.likes if by == uid), reverse=True))

    def check_tag(self):
        found, query = [], "?limit=100"
        while query:
            page = self.group.ask("GET", f"/v1/hashtags/{self.group.tag}/posts{query}")[1]
            found += [post["post_id"] for post in page["posts"]]
            query = f"?limit=100&before={page['next']}" if page["has_more"] else None
        expected = [post for post, record in self.model.posts.items() if "#" in record["text"]]
        self.expect(f"posts with #{self.group.tag}", found, expected[::-1])

    def check_deliveries(self, uid, got):
        """Each notification that was not withdrawn was delivered, in order, and as often as it was created."""
        ids = list(dict.fromkeys(item["id"] for item in got if item.get("to") == uid))
        self.expect(f"order of deliveries to {uid}", ids, sorted(ids))
        about = {item["id"]: key({**item, "actor": (item.get("actor") or {}).get("uid")})
                 for item in got if item.get("to") == uid}
        counts = collections.Counter(about.values())
        for (recipient, subject), number in self.model.ever_told.items():
            if recipient == uid and counts[subject] < 1 and (uid, subject) not in self.model.withdrawn:
                self.group.complain(f"{uid} was not sent {subject}")
            if recipient == uid and counts[subject] > number:
                self.group.complain(f"{uid} was sent {subject} under {counts[subject]} ids")
        for subject in counts:
            if (uid, subject) not in self.model.ever_told:
                self.group.complain(f"{uid} was sent {subject}, for which no notification exists")


def numbers(**sets):
    """Returns the counters as the tree stores them: without zeros."""
    return {name: len(items) for name, items in sets.items() if items} or None

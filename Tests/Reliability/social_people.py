"""People who do all that the social model knows, by routes and as clients of the database; one thing at a time, and each is
taken down in a model when it was answered. What was not answered is looked for, when the service is back: it has happened as a
whole, or not at all.
"""

import json
import random
import threading
import time
import urllib.parse

from social_model import Model, key

ALPHABET = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
TEXTS = ["hello", "#{tag} day", "look: #{tag}"]


class People:
    """Some people who know only each other."""

    def __init__(self, name, service, seed, problems):
        self.name, self.service, self.problems = name, service, problems
        self.random = random.Random(f"{seed}/{name}")
        self.model = Model([f"{name}{letter}" for letter in "abcde"])
        self.tag = f"tag{name}"
        self.unanswered = None  # how to find out whether it has happened, and what is to be taken down then
        self.drafts = []
        self.count = 0
        self.done = {}

    # Speaking to the service

    def ask(self, method, path, body=None, headers=None):
        if body is not None:
            headers = {"Content-Type": "application/json", **(headers or {})}
        return self.service.json(method, path, body, headers=headers)

    def read(self, path):
        return self.ask("GET", f"/{path}.json")[1]

    def put(self, path, value):
        return self.ask("PUT", f"/{path}.json", value) if value is not None else self.ask("DELETE", f"/{path}.json")

    def patch(self, writes):
        return self.ask("PATCH", "/.json", writes)

    def complain(self, text):
        self.problems.append(f"{self.name}: {text}")

    def attempt(self, what, send, happened, note, code=None):
        """Does something. `happened` tells what came of it, or None; `note` takes that down."""
        self.unanswered = (what, happened, note)
        status, answer = send()
        self.unanswered = None
        refused = answer.get("code") if status >= 300 and isinstance(answer, dict) else None
        if (status >= 300) != (code is not None) or refused != code:
            return self.complain(f"{what}: {status} {json.dumps(answer)[:200]}, expected {code or 'success'}")
        self.done[what.split()[0]] = self.done.get(what.split()[0], 0) + 1
        if code is None:
            note(answer)

    def resolve(self):
        """Finds out whether what was not answered has happened."""
        if self.unanswered is None:
            return
        what, happened, note = self.unanswered
        found = happened()
        if found is not None:
            note(found)
        self.done["unanswered"] = self.done.get("unanswered", 0) + 1
        self.done["found done"] = self.done.get("found done", 0) + (found is not None)
        self.unanswered = None

    def run(self, is_over):
        try:
            self.resolve()
            while not is_over.is_set():
                self.act()
        except OSError:
            pass  # The service was killed.
        except Exception as error:  # What nobody expected is a finding.
            self.complain(f"{type(error).__name__}: {error!r}, unanswered {self.unanswered and self.unanswered[0]}")

    # What they do

    def begin(self):
        """Makes those who are not there."""
        for uid in self.model.people:
            if uid not in self.model.names:
                name = f"{uid} Lée"
                self.attempt(f"profile {uid}", lambda: self.ask("PUT", f"/v1/people/{uid}", {"full_name": name}),
                             lambda: None, lambda _: self.model.rename(uid, name))

    def act(self):
        works = [
            (12, self.upload), (8, self.post_raw), (5, self.draft), (5, self.delete_post), (7, self.rename), (14, self.link),
            (3, self.block), (16, self.like), (2, self.many_likes), (12, self.comment), (7, self.change_comment),
            (3, self.announce), (6, self.mark), (8, self.feed), (0.4, self.delete_person), (1, self.leave_all),
        ]
        self.random.choices([work for _, work in works], [weight for weight, _ in works])[0]()

    def pick(self, choices):
        choices = list(choices)
        return self.random.choice(choices) if choices else None

    def person(self):
        return self.pick(self.model.present())

    def two(self):
        return self.random.sample(self.model.present(), 2)

    def words(self):
        return self.random.choice(TEXTS).format(tag=self.tag)

    def unique(self):
        self.count += 1
        return f"{self.name}-{self.count}-{self.random.getrandbits(40):x}"

    def new_id(self):
        return "-P" + "".join(self.random.choice(ALPHABET) for _ in range(18))

    # Posts

    def upload(self):
        author, text, ticket = self.person(), self.words(), self.unique()
        query = urllib.parse.urlencode({"user": author, "text": text})

        def send():
            return self.ask("POST", f"/v1/uploads?{query}", headers={"Idempotency-Key": ticket})

        def again():
            status, answer = send()
            if status >= 300:
                self.complain(f"sent again with its key, an upload was refused: {status} {answer}")
                return None
            return answer

        self.attempt(f"upload by {author}", send, again, lambda answer: self.model.post(answer["post_id"], author, text))

    def draft(self):
        """Reserves now and publishes later, or the other way round."""
        if self.drafts and self.random.random() < 0.6:
            post, author = self.drafts.pop(self.random.randrange(len(self.drafts)))
            if author in self.model.gone:
                return
            text = self.words()
            query = urllib.parse.urlencode({"text": text})

            def send():
                return self.ask("POST", f"/v1/uploads/{post}/publish?{query}")

            def again():
                status, answer = send()
                if status >= 300:
                    self.complain(f"publishing the draft {post} again: {status} {answer}")
                    return None
                return answer

            return self.attempt(f"draft {post} of {author}", send, again, lambda _: self.model.post(post, author, text))
        author = self.person()
        status, answer = self.ask("POST", f"/v1/uploads?user={author}&draft=true")
        if status == 201:
            self.drafts.append((answer["upload_id"], author))

    def post_raw(self):
        author, post, text = self.person(), self.new_id(), self.words()
        record = {"author": self.model.author(author), "text": text, "timestamp": 5}
        writes = {f"posts/{post}": record}
        if self.random.random() < 0.5:
            writes |= {f"people/{author}/posts/{post}": True, f"feed/{author}/{post}": True}
        self.attempt(f"post {post} by {author}", lambda: self.patch(writes), lambda: self.read(f"posts/{post}"),
                     lambda _: self.model.post(post, author, text))

    def delete_post(self):
        post = self.pick(self.model.posts)
        if post is None or len(self.model.posts) < 6:
            return
        author = self.model.posts[post]["author"]
        places = [f"posts/{post}", f"people/{author}/posts/{post}", f"feed/{author}/{post}"]
        send = self.random.choice([
            lambda: self.ask("DELETE", f"/v1/posts/{post}"), lambda: self.put(f"posts/{post}", None),
            lambda: self.patch({place: None for place in places}),
            lambda: self.patch({f"posts/{post}": None, f"likes/{post}": None, f"comments/{post}": None}),
        ])
        self.attempt(f"delete {post}", send, lambda: None if self.read(f"posts/{post}") else True,
                     lambda _: self.model.delete_post(post))

    # People

    def rename(self):
        uid, name = self.person(), f"Name {self.unique()}"
        picture = self.random.choice([None, "/a.jpg", "/b.jpg"])
        send = self.random.choice([
            lambda: self.ask("PATCH", f"/v1/people/{uid}", {"full_name": name, "profile_picture": picture}),
            lambda: self.patch({f"people/{uid}/full_name": name, f"people/{uid}/profile_picture": picture}),
        ])
        self.attempt(f"rename {uid}", send, lambda: self.read(f"people/{uid}/full_name") == name or None,
                     lambda _: self.model.rename(uid, name, picture))

    def link(self):
        one, other = self.two()
        sides = [f"people/{one}/following/{other}", f"followers/{other}/{one}"]
        is_there = (one, other) in self.model.follows
        if is_there or self.random.random() < 0.2:
            send = self.random.choice([
                lambda: self.ask("DELETE", f"/v1/people/{one}/following/{other}"), lambda: self.put(sides[0], None),
                lambda: self.put(sides[1], None), lambda: self.patch({side: None for side in sides}),
            ])
            return self.attempt(f"unfollow {one} {other}", send, lambda: None if self.read(sides[0]) else True,
                                lambda _: self.model.unfollow(one, other))
        send = self.random.choice([
            lambda: self.put(sides[0], True), lambda: self.put(sides[1], True),
            lambda: self.patch({side: True for side in sides}), None,
        ])
        code = None
        if send is None:
            code = "blocked" if self.model.are_blocked(one, other) else None
            send = lambda: self.ask("PUT", f"/v1/people/{one}/following/{other}")
        self.attempt(f"follow {one} {other}", send, lambda: self.read(sides[1]),
                     lambda _: self.model.follow(one, other), code)

    def leave_all(self):
        """Removes what stands above many follows at once."""
        uid = self.person()
        path = self.random.choice([f"people/{uid}/following", f"followers/{uid}"])
        pairs = [pair for pair in self.model.follows if pair[path.startswith("followers")] == uid]
        self.attempt(f"leave {path}", lambda: self.put(path, None), lambda: None if self.read(path) else True,
                     lambda _: [self.model.unfollow(*pair) for pair in pairs])

    def block(self):
        one, other = self.two()
        sides = [f"blocking/{one}/{other}", f"blocked/{other}/{one}"]
        if (one, other) in self.model.blocks:
            send = self.random.choice([
                lambda: self.ask("DELETE", f"/v1/people/{one}/blocking/{other}"), lambda: self.put(sides[0], None),
                lambda: self.put(sides[1], None),
            ])
            return self.attempt(f"unblock {one} {other}", send, lambda: None if self.read(sides[1]) else True,
                                lambda _: self.model.unblock(one, other))
        if len(self.model.blocks) > 2:
            return
        send = self.random.choice([
            lambda: self.ask("PUT", f"/v1/people/{one}/blocking/{other}"), lambda: self.put(sides[0], True),
            lambda: self.put(sides[1], True),
        ])
        self.attempt(f"block {one} {other}", send, lambda: self.read(sides[0]), lambda _: self.model.block(one, other))

    def delete_person(self):
        if self.model.gone:
            return
        uid = self.person()
        self.attempt(f"delete-person {uid}", lambda: self.ask("DELETE", f"/v1/people/{uid}"),
                     lambda: None if self.read(f"people/{uid}/full_name") else True,
                     lambda _: self.model.delete_person(uid))

    # Likes and comments

    def like(self):
        post, uid = self.pick(self.model.posts), self.person()
        if post is None:
            return
        path = f"likes/{post}/{uid}"
        is_route = self.random.random() < 0.5
        if (post, uid) in self.model.likes and self.random.random() < 0.7:
            send = (lambda: self.ask("DELETE", f"/v1/posts/{post}/likes/{uid}")) if is_route else lambda: self.put(path, None)
            return self.attempt(f"unlike {post} {uid}", send, lambda: None if self.read(path) else True,
                                lambda _: self.model.unlike(post, uid))
        code = None
        if is_route and self.model.are_blocked(self.model.posts[post]["author"], uid):
            code = "blocked"
        send = (lambda: self.ask("PUT", f"/v1/posts/{post}/likes/{uid}")) if is_route else lambda: self.put(path, 7)
        self.attempt(f"like {post} {uid}", send, lambda: self.read(path), lambda _: self.model.like(post, uid), code)

    def many_likes(self):
        """Replaces all likes of a post: as an import does, it tells nobody, and takes back what has gone."""
        post = self.pick(self.model.posts)
        if post is None:
            return
        wanted = {uid: 3 for uid in self.model.present() if self.random.random() < 0.4}

        def note(_):
            for like in [like for like in self.model.likes if like[0] == post and like[1] not in wanted]:
                self.model.unlike(*like)
            self.model.likes |= {(post, uid) for uid in wanted}

        self.attempt(f"many-likes {post}", lambda: self.put(f"likes/{post}", wanted or None),
                     lambda: True if (self.read(f"likes/{post}") or {}) == wanted else None, note)

    def mentions(self):
        return [self.person() for _ in range(self.random.randrange(3))]

    def comment(self):
        post, author = self.pick(self.model.posts), self.person()
        if post is None:
            return
        text, mentions = f"@@@ {self.unique()}", self.mentions()
        spans = [{"uid": uid, "start": place, "length": 1} for place, uid in enumerate(mentions)]
        if self.random.random() < 0.5:
            code = "blocked" if self.model.are_blocked(self.model.posts[post]["author"], author) else None
            self.attempt(
                f"comment {post} by {author}",
                lambda: self.ask("POST", f"/v1/posts/{post}/comments?as={author}", {"text": text, "mentions": spans}),
                lambda: self.find_comment(post, text),
                lambda answer: self.model.comment(post, answer["comment_id"], author, text, mentions), code)
            return
        comment = self.new_id()
        record = {"author": self.model.author(author), "text": text, "timestamp": 5,
                  "mentions": {str(place): span for place, span in enumerate(spans)}}
        self.attempt(f"comment-raw {post} by {author}", lambda: self.put(f"comments/{post}/{comment}", record),
                     lambda: self.read(f"comments/{post}/{comment}"),
                     lambda _: self.model.comment(post, comment, author, text, mentions))

    def find_comment(self, post, text):
        found = [name for name, record in (self.read(f"comments/{post}") or {}).items() if record["text"] == text]
        if len(found) > 1:
            self.complain(f"a comment is there {len(found)} times: {found}")
        return {"comment_id": found[0]} if found else None

    def change_comment(self):
        chosen = self.pick(self.model.comments)
        if chosen is None:
            return
        post, comment = chosen
        path, author = f"comments/{post}/{comment}", self.model.comments[chosen]["author"]
        if self.random.random() < 0.4:
            send = self.random.choice([
                lambda: self.ask("DELETE", f"/v1/posts/{post}/comments/{comment}"), lambda: self.put(path, None)])
            return self.attempt(f"delete-comment {post}", send, lambda: None if self.read(path) else True,
                                lambda _: self.model.delete_comment(post, comment))
        text, mentions = f"@@@ {self.unique()}", self.mentions()
        spans = [{"uid": uid, "start": place, "length": 1} for place, uid in enumerate(mentions)]
        code = None
        if self.random.random() < 0.5:
            code = "blocked" if self.model.are_blocked(self.model.posts[post]["author"], author) else None
            send = lambda: self.ask("PATCH", f"/v1/posts/{post}/comments/{comment}?as={author}",
                                    {"text": text, "mentions": spans})
        else:
            records = {str(place): span for place, span in enumerate(spans)} or None
            send = lambda: self.ask("PATCH", f"/{path}.json", {"text": text, "mentions": records})
        self.attempt(f"edit {post}", send, lambda: self.read(f"{path}/text") == text or None,
                     lambda _: self.model.edit(post, comment, text, mentions), code)

    # Notifications and feeds

    def announce(self):
        text, people = self.unique(), self.two()
        self.attempt(f"announce to {people}", lambda: self.ask("POST", "/v1/announcements", {"text": text, "to": people}),
                     lambda: True if any(key(notice) == ("announcement", text, None, None)
                                         for notice in self.notices(people[0])[0]) else None,
                     lambda _: self.model.announce(text, people))

    def notices(self, uid):
        """All that somebody is told of, the oldest first, and the number of what is unread; without what all are told of."""
        notices, query = [], "?limit=50"
        while query:
            status, page = self.ask("GET", f"/v1/people/{uid}/notifications{query}")
            if status != 200:
                raise RuntimeError(f"{status} {page}")
            notices += page["notifications"]
            query = f"?limit=50&before={page['next']}" if page["has_more"] else None
        for notice in notices:
            if "actor" in notice:
                notice["actor"] = notice["actor"]["uid"]
            if notice["kind"] != "announcement":
                notice.pop("text", None)
        return notices[::-1], page["unread"]

    def mark(self):
        uid = self.person()
        notices, _ = self.notices(uid)
        if not notices:
            return
        chosen = self.random.sample(notices, 1 + self.random.randrange(min(3, len(notices))))
        way = self.random.randrange(4)
        if way == 0:
            chosen, body = notices, {"all": True}
        elif way == 1:
            chosen = notices[: self.random.randrange(len(notices)) + 1]
            body = {"up_to": chosen[-1]["id"]}
        else:
            body = {"ids": [notice["id"] for notice in chosen]}
        if way == 3:
            send = lambda: self.patch({f"notifications/{uid}/{notice['id']}/unread": None for notice in chosen})
        else:
            send = lambda: self.ask("POST", f"/v1/people/{uid}/notifications/read", body)
        keys = {key(notice) for notice in chosen}

        def happened():
            unread = {notice["id"] for notice in self.notices(uid)[0] if notice["unread"]}
            return None if unread & {notice["id"] for notice in chosen} else True

        self.attempt(f"read {uid}", send, happened, lambda _: self.model.read(uid, keys))

    def walk(self, uid, limit):
        """A whole home feed, and whether it says that it is complete."""
        ids, query, is_complete = [], f"?limit={limit}&as={uid}", True
        while query:
            status, page = self.ask("GET", f"/v1/people/{uid}/feed{query}")
            if status != 200:
                raise RuntimeError(f"{status} {page}")
            if "before" not in query:
                is_complete = page.get("complete", True)
            ids += [post["post_id"] for post in page["posts"]]
            query = f"?limit={limit}&as={uid}&before={page['next']}" if page["has_more"] else None
        return ids, is_complete

    def feed(self):
        """Nobody but these few can change this feed: it is what it has to be, at any time."""
        uid = self.person()
        # What is left of somebody who is being deleted may still be there.
        found, is_complete = self.walk(uid, 1 + self.random.randrange(30))
        found = [post for post in found if post in self.model.posts or not self.model.gone]
        expected = self.model.feed(uid)
        if not is_complete:
            expected = [post for post in expected if post in found]
        self.done["feed"] = self.done.get("feed", 0) + 1
        if found != expected:
            self.complain(f"the feed of {uid}: expected {expected}, found {found}")


class Crowd:
    """All of them, each group in a thread of its own, until the service is gone."""

    def __init__(self, groups):
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=group.run, args=[self.is_over], daemon=True) for group in groups]

    def start(self):
        for thread in self.threads:
            thread.start()

    def is_working(self):
        return any(thread.is_alive() for thread in self.threads)

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

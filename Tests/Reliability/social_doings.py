"""Actions on posts and between people: by routes, and as clients of the database."""

import json
import urllib.parse

from social_actor import Actor


class Doings(Actor):
    # Posts

    def upload(self):
        author, text, ticket, mentions = self.person(), f"@@ {self.words()}", self.unique(), self.mentions()
        query = urllib.parse.urlencode({"user": author, "text": text, "mentions": json.dumps(self.spans(mentions))})

        def send():
            return self.ask("POST", f"/v1/uploads?{query}", headers={"Idempotency-Key": ticket})

        def again():
            status, answer = send()
            if status >= 300:
                self.complain(f"sent again with its key, an upload was refused: {status} {answer}")
                return None
            return answer

        self.attempt(f"upload by {author}", send, again,
                     lambda answer: self.model.post(answer["post_id"], author, text, mentions))

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
        author, post, text, mentions = self.person(), self.new_id(), f"@@ {self.words()}", self.mentions()
        record = {"author": self.model.author(author), "text": text, "timestamp": 5, "mentions": self.records(mentions)}
        writes = {f"posts/{post}": record}
        if self.random.random() < 0.5:
            writes |= {f"people/{author}/posts/{post}": True, f"feed/{author}/{post}": True}
        self.attempt(f"post {post} by {author}", lambda: self.patch(writes), lambda: self.read(f"posts/{post}"),
                     lambda _: self.model.post(post, author, text, mentions, kind="raw"))

    def edit_post(self):
        """Writes another text, and its mentions."""
        post, text, mentions = self.pick(self.model.posts), f"@@ {self.words()} {self.unique()}", self.mentions()
        if post is None:
            return
        writes = {f"posts/{post}/text": text, f"posts/{post}/mentions": self.records(mentions)}
        self.attempt(f"edit-post {post}", lambda: self.patch(writes),
                     lambda: self.read(f"posts/{post}/text") == text or None,
                     lambda _: self.model.edit_post(post, text, mentions))

    def mentions(self):
        return [self.person() for _ in range(self.random.randrange(3))]

    def spans(self, mentions):
        return [{"uid": uid, "start": place, "length": 1} for place, uid in enumerate(mentions)]

    def records(self, mentions):
        """Returns the mentions as the tree stores them."""
        return {str(place): span for place, span in enumerate(self.spans(mentions))} or None

    def delete_post(self):
        post = self.pick(self.model.posts)
        if post is None or len(self.model.posts) < 6:
            return
        author = self.model.posts[post]["author"]
        places = [f"posts/{post}", f"people/{author}/posts/{post}", f"feed/{author}/{post}"]
        send = self.random.choice([
            lambda: self.ask("DELETE", f"/v1/posts/{post}"), lambda: self.put(f"posts/{post}", None),
            lambda: self.patch(dict.fromkeys(places)),
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

    def hide(self):
        """Makes a person findable by their name, or not."""
        uid, is_found = self.person(), self.random.random() < 0.5
        send = self.random.choice([
            lambda: self.ask("PATCH", f"/v1/people/{uid}/privacy", {"social": is_found}),
            lambda: self.put(f"privacy/{uid}/social", is_found),
        ])
        change = self.model.hidden.discard if is_found else self.model.hidden.add
        self.attempt(f"hide {uid} {not is_found}", send,
                     lambda: True if self.read(f"privacy/{uid}/social") == is_found else None, lambda _: change(uid))

    def link(self):
        one, other = self.two()
        sides = [f"people/{one}/following/{other}", f"followers/{other}/{one}"]
        is_there = (one, other) in self.model.follows
        if is_there or self.random.random() < 0.2:
            send = self.random.choice([
                lambda: self.ask("DELETE", f"/v1/people/{one}/following/{other}"), lambda: self.put(sides[0], None),
                lambda: self.put(sides[1], None), lambda: self.patch(dict.fromkeys(sides)),
            ])
            return self.attempt(f"unfollow {one} {other}", send, lambda: None if self.read(sides[0]) else True,
                                lambda _: self.model.unfollow(one, other))
        send = self.random.choice([
            lambda: self.put(sides[0], True), lambda: self.put(sides[1], True),
            lambda: self.patch(dict.fromkeys(sides, True)), None,
        ])
        code = None
        if send is None:
            code = "blocked" if self.model.are_blocked(one, other) else None
            send = lambda: self.ask("PUT", f"/v1/people/{one}/following/{other}")
        self.attempt(f"follow {one} {other}", send, lambda: self.read(sides[1]),
                     lambda _: self.model.follow(one, other), code)

    def leave_all(self):
        """Removes a node above many follows at once."""
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
        # Drafts end with their person.
        self.drafts = [draft for draft in self.drafts if draft[1] != uid]
        self.attempt(f"delete-person {uid}", lambda: self.ask("DELETE", f"/v1/people/{uid}"),
                     lambda: None if self.read(f"people/{uid}/full_name") else True,
                     lambda _: self.model.delete_person(uid))

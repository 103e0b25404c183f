"""Actions on audiences and on the posts for them: by routes, and as clients of the database."""

import urllib.parse

from social_doings import Doings

ROLES = ["owner", "poster", "poster", "reader"]


class AudienceDoings(Doings):
    # Members

    def audience(self):
        """Creates an audience, or replaces it with all its members."""
        if self.model.gone:
            return  # A person who is being deleted may or may not be a member any longer.
        audience = self.pick(sorted(set(self.model.audience_names) - self.model.used))
        old = self.model.audiences.get(audience)
        members = {uid: self.random.choice(ROLES) for uid in self.random.sample(self.model.present(), 3)}
        owner = self.person()
        record = {"name": self.unique(), "kind": "class", "members": {**members, owner: "owner"}}
        path = f"audiences/{audience}"
        send = self.random.choice([
            lambda: self.ask("PUT", f"/v1/audiences/{audience}", record), lambda: self.put(path, record),
            lambda: self.ask("PATCH" if old else "PUT", f"/v1/audiences/{audience}", record),
        ])
        self.attempt(f"audience {audience}", send, lambda: self.read(f"{path}/name") == record["name"] or None,
                     lambda _: self.model.set_audience(audience, **record))

    def member(self):
        audience = self.pick(self.model.audiences)
        if audience is None or self.model.gone:
            return
        uid = self.person()
        role = self.random.choice([*ROLES, None])
        old = self.model.role(audience, uid)
        path, route = f"audiences/{audience}/members/{uid}", f"/v1/audiences/{audience}/members/{uid}"
        code = None
        if self.random.random() < 0.5:
            code = "wrong_state" if self.model.is_last_owner(audience, uid) and role != "owner" else None
            send = lambda: self.ask("PUT", route, {"role": role}) if role else self.ask("DELETE", route)
        else:
            send = lambda: self.put(path, role)
        if old == role:
            code = None
        self.attempt(f"member {uid} of {audience}", send, lambda: True if self.read(path) == role else None,
                     lambda _: self.model.set_member(audience, uid, role), code)

    def forge(self):
        """Writes to a path that only the service may write; it has no effect."""
        audience, uid = self.random.choice(self.model.audience_names), self.person()
        path, value = self.random.choice([
            (f"memberships/{uid}/{audience}", "owner"), (f"memberships/{uid}", None),
            (f"stories/{audience}", None), (f"stories/{audience}/{self.new_id()}", {"text": "forged", "timestamp": 1}),
        ])
        self.attempt(f"forge {path}", lambda: self.put(path, value), lambda: None, lambda _: None)

    def take_over(self):
        """Creates an audience with the id of a deleted one, which is refused in each way."""
        audience, uid = self.pick(sorted(self.model.used)), self.person()
        if audience is None:
            return
        record = {"name": self.unique(), "kind": "class", "members": {uid: "owner"}}
        path = f"audiences/{audience}"
        reason = f"/{path}: there was an audience with this id, which was deleted: an id is used once"
        send, code = self.random.choice([
            (lambda: self.ask("PUT", f"/v1/{path}", record), "wrong_state"),
            (lambda: self.put(path, record), reason), (lambda: self.put(f"{path}/members/{uid}", "owner"), reason)])
        self.attempt(f"take-over {path}", send, lambda: None, lambda _: None, code)

    def delete_audience(self):
        audience = self.pick(self.model.audiences)
        if audience is None:
            return
        send = self.random.choice([
            lambda: self.ask("DELETE", f"/v1/audiences/{audience}"), lambda: self.put(f"audiences/{audience}", None)])
        self.attempt(f"delete-audience {audience}", send, lambda: None if self.read(f"audiences/{audience}") else True,
                     lambda _: self.model.delete_audience(audience))

    # Posts

    def story_post(self):
        if not self.model.audiences:
            return
        known = sorted(self.model.audiences)
        chosen = sorted(self.random.sample(known, 1 + self.random.randrange(len(known))))
        author, text = self.person(), self.words()
        if self.random.random() < 0.6:
            return self.upload_story_post(author, text, chosen)
        post = self.new_id()
        record = {"author": self.model.author(author), "text": text, "timestamp": 5,
                  "audiences": dict.fromkeys(chosen, True)}
        path = f"audience_posts/{post}"
        self.attempt(f"story-post {post} by {author}", lambda: self.put(path, record), lambda: self.read(path),
                     lambda _: self.model.story_post(post, author, text, chosen, is_raw=True))

    def upload_story_post(self, author, text, chosen):
        if self.model.gone:
            return  # A person who is being deleted may still be an owner.
        ticket, code = self.unique(), self.model.refusal(author, chosen)
        query = urllib.parse.urlencode({"user": author, "text": text, "audiences": " ".join(chosen)})

        def send():
            return self.ask("POST", f"/v1/uploads?{query}", headers={"Idempotency-Key": ticket})

        def again():
            status, answer = send()
            if code is not None:
                return None
            if status >= 300:
                self.complain(f"sent again with its key, an upload for {chosen} was refused: {status} {answer}")
                return None
            return answer

        self.attempt(f"upload-story by {author} for {chosen}", send, again,
                     lambda answer: self.model.story_post(answer["post_id"], author, text, chosen), code)

    def change_story_post(self):
        post = self.pick(self.model.story_posts)
        if post is None:
            return
        path = f"audience_posts/{post}"
        named = self.model.story_posts[post]["audiences"]
        others = sorted(set(self.model.audiences) - named)
        way = self.random.randrange(4)
        if way == 0:
            text = f"{self.words()} {self.unique()}"
            return self.attempt(f"edit-story {post}", lambda: self.put(f"{path}/text", text),
                                lambda: self.read(f"{path}/text") == text or None,
                                lambda _: self.model.edit_story_post(post, text))
        if way == 1 and others:
            audience = self.random.choice(others)
            return self.attempt(f"join {post} {audience}", lambda: self.put(f"{path}/audiences/{audience}", True),
                                lambda: self.read(f"{path}/audiences/{audience}"),
                                lambda _: self.model.join(post, audience))
        if way == 2:
            audience = self.random.choice(sorted(named))
            send = self.random.choice([
                lambda: self.ask("DELETE", f"/v1/audiences/{audience}/posts/{post}"),
                lambda: self.put(f"{path}/audiences/{audience}", None)])
            return self.attempt(f"part {post} {audience}", send,
                                lambda: None if self.read(f"{path}/audiences/{audience}") else True,
                                lambda _: self.model.leave(post, audience))
        if len(self.model.story_posts) < 4:
            return None
        send = self.random.choice([
            lambda: self.ask("DELETE", f"/v1/posts/{post}"), lambda: self.put(path, None),
            lambda: self.put(f"{path}/audiences", None)])
        return self.attempt(f"delete-story {post}", send, lambda: None if self.read(path) else True,
                            lambda _: self.model.delete_story_post(post))

    # Reading

    def walk_stories(self, route, limit):
        """Returns the posts of a list, and the status of the first page."""
        ids, query, first = [], f"?limit={limit}", None
        while query:
            status, page = self.ask("GET", f"{route}{query}")
            first = first or status
            if status != 200:
                return ids, first
            ids += [post["post_id"] for post in page["posts"]]
            query = f"?limit={limit}&before={page['next']}" if page["has_more"] else None
        return ids, first

    def read_stories(self):
        """Only this group can change these stories: they match the model at any time."""
        uid, limit = self.person(), 1 + self.random.randrange(9)
        lists = [(f"/v1/people/{uid}/stories", self.model.stories(uid))]
        lists += [(f"/v1/audiences/{audience}/posts", self.model.story(audience)) for audience in self.model.audiences]
        route, expected = self.random.choice(lists)
        found, _ = self.walk_stories(route, limit)
        # Posts of a person who is being deleted may still exist.
        found = [post for post in found if post in self.model.story_posts or not self.model.gone]
        self.done["stories"] = self.done.get("stories", 0) + 1
        if found != expected:
            self.complain(f"{route}: expected {expected}, found {found}")

"""People with all actions of the social model, by routes and as clients of the database."""

from social_model import key
from social_photos import PhotoDoings


class People(PhotoDoings):
    """Some people, and all their actions."""

    def begin(self):
        """Creates the missing people."""
        for uid in self.model.people:
            if uid not in self.model.names:
                name = f"{uid} Lée"
                self.attempt(f"profile {uid}", lambda: self.ask("PUT", f"/v1/people/{uid}", {"full_name": name}),
                             lambda: None, lambda _: self.model.rename(uid, name))

    def act(self):
        works = [
            (12, self.upload), (8, self.post_raw), (5, self.draft), (5, self.delete_post), (5, self.edit_post),
            (7, self.rename), (2, self.hide), (14, self.link), (3, self.block), (16, self.like), (2, self.many_likes),
            (12, self.comment), (7, self.change_comment),
            (3, self.announce), (6, self.mark), (8, self.feed), (0.4, self.delete_person), (1, self.leave_all),
            (3, self.audience), (6, self.member), (2, self.forge), (1, self.delete_audience), (1, self.take_over),
            (12, self.story_post), (6, self.change_story_post), (5, self.read_stories), (3, self.photo), (5, self.moderate),
        ]
        self.random.choices([work for _, work in works], [weight for weight, _ in works])[0]()

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
        """Replaces all likes of a post: like an import, it notifies nobody, and withdraws notifications of removed likes."""
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

    def comment(self):
        post, author = self.pick(self.model.posts), self.person()
        if post is None:
            return
        text, mentions = f"@@@ {self.unique()}", self.mentions()
        body = {"text": text, "mentions": self.spans(mentions)}
        if self.random.random() < 0.5:
            code = "blocked" if self.model.are_blocked(self.model.posts[post]["author"], author) else None
            self.attempt(
                f"comment {post} by {author}", lambda: self.ask("POST", f"/v1/posts/{post}/comments?as={author}", body),
                lambda: self.find_comment(post, text),
                lambda answer: self.model.comment(post, answer["comment_id"], author, text, mentions), code)
            return
        comment = self.new_id()
        record = {"author": self.model.author(author), "text": text, "timestamp": 5,
                  "mentions": self.records(mentions)}
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
        code = None
        if self.random.random() < 0.5:
            code = "blocked" if self.model.are_blocked(self.model.posts[post]["author"], author) else None
            send = lambda: self.ask("PATCH", f"/v1/posts/{post}/comments/{comment}?as={author}",
                                    {"text": text, "mentions": self.spans(mentions)})
        else:
            send = lambda: self.ask("PATCH", f"/{path}.json", {"text": text, "mentions": self.records(mentions)})
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
        """Returns all notifications of a person, the oldest first, and the number of unread ones; without announcements to all."""
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
        """Returns a complete home feed, and whether it reports that it is complete."""
        ids, query, is_complete = [], f"?limit={limit}&as={uid}", True
        while query:
            status, page = self.ask("GET", f"/v1/people/{uid}/feed{query}", is_followed=True)
            if status != 200:
                raise RuntimeError(f"{status} {page}")
            if "before" not in query:
                is_complete = page.get("complete", True)
            ids += [post["post_id"] for post in page["posts"]]
            query = f"?limit={limit}&as={uid}&before={page['next']}" if page["has_more"] else None
        return ids, is_complete

    def feed(self):
        """Only this group can change this feed: it matches the model at any time."""
        uid = self.person()
        # Posts of a person who is being deleted may still exist.
        found, is_complete = self.walk(uid, 1 + self.random.randrange(30))
        found = [post for post in found if post in self.model.posts or not self.model.gone]
        expected = self.model.feed(uid)
        if not is_complete:
            expected = [post for post in expected if post in found]
        self.done["feed"] = self.done.get("feed", 0) + 1
        if found != expected:
            self.complain(f"the feed of {uid}: expected {expected}, found {found}")

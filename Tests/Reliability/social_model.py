"""The effects of people's actions, by a model of dictionaries that computes them in the simplest way.

It shares no code with the service. One model describes some people who interact only with each other, one action at a time;
several such groups are active at once.
"""

from social_audience_model import AudienceModel


class Model(AudienceModel):
    def __init__(self, people, audiences):
        super().__init__(audiences)
        self.people = people
        self.names, self.pictures = {}, {}
        self.hidden = set()  # people who are not findable by their name
        self.follows, self.blocks, self.likes = set(), set(), set()  # pairs; of likes (post, uid)
        self.posts = {}  # id → {author, text, kind, is_blurred, seen}, in the order of publication
        self.comments = {}  # (post, id) → {author, text, mentions}
        self.gone = set()  # people who are being deleted
        self.told = {uid: [] for uid in people}  # notifications, the oldest first
        self.ever_told, self.withdrawn = {}, set()  # by their subjects: see `key`
        self.once = {}  # earlier notifications of a like or a follow, which are created once a day
        self.told_of = {}  # (post, comment) → {uid: kind}

    # Actions

    def post(self, post, author, text, mentions=(), kind="text"):
        """Adds a post; `kind` is text or photo, or raw for posts that a client of the database has written."""
        self.posts[post] = {"author": author, "text": text, "kind": kind, "is_blurred": False, "seen": set()}
        self.names.setdefault(author, author)
        self.mention(post, author, mentions)

    def edit_post(self, post, text, mentions):
        self.posts[post]["text"] = text
        self.mention(post, self.posts[post]["author"], mentions)

    def mention(self, post, author, mentions):
        """Notifies the people whom a post mentions now, each once, and withdraws the notifications of others."""
        about = {"kind": "mention", "actor": author, "post": post}
        known = self.told_of.setdefault((post, None), {})
        for uid in known:
            if uid not in mentions:
                self.withdraw(uid, about)
        for uid in mentions:
            if uid not in known and self.tells(uid, author):
                self.tell(uid, about)
                known[uid] = "mention"

    def delete_post(self, post):
        old = self.posts.pop(post, None)
        if old is None:
            return
        for uid in self.told_of.pop((post, None), {}):
            self.withdraw(uid, {"kind": "mention", "actor": old["author"], "post": post})
        for like in [like for like in self.likes if like[0] == post]:
            self.unlike(*like)
            self.once.pop(("like", *like), None)
        for comment in [comment for comment in self.comments if comment[0] == post]:
            self.delete_comment(*comment)

    def moderate(self, post, decision):
        if decision == "refuse":
            self.delete_post(post)
        elif self.posts[post]["kind"] == "photo":
            self.posts[post]["is_blurred"] = decision == "blur"

    def expire(self):
        """Expires posts; those of clients are from 1970."""
        old = [post for post, record in self.posts.items() if record["kind"] == "raw"]
        for post in old:
            self.delete_post(post)
        return len(old) + self.expire_story_posts()

    def rename(self, uid, name, picture=None):
        self.names[uid] = name
        self.pictures[uid] = picture

    def follow(self, one, other):
        if (one, other) in self.follows:
            return
        self.follows.add((one, other))
        self.tell_once(other, {"kind": "follow", "actor": one}, ("follow", other, one))

    def unfollow(self, one, other):
        if (one, other) in self.follows:
            self.follows.remove((one, other))
            self.withdraw(other, {"kind": "follow", "actor": one})

    def block(self, one, other):
        self.blocks.add((one, other))
        for uid, actor in [(one, other), (other, one)]:
            for notice in [notice for notice in self.told[uid] if notice.get("actor") == actor]:
                self.withdraw(uid, notice)
        self.unfollow(one, other)
        self.unfollow(other, one)

    def unblock(self, one, other):
        self.blocks.discard((one, other))

    def like(self, post, uid):
        if (post, uid) in self.likes:
            return
        self.likes.add((post, uid))
        self.tell_once(self.posts[post]["author"], {"kind": "like", "actor": uid, "post": post}, ("like", post, uid))

    def unlike(self, post, uid):
        if (post, uid) in self.likes:
            self.likes.remove((post, uid))
            recipient = self.once.get(("like", post, uid))
            if recipient:
                self.withdraw(recipient, {"kind": "like", "actor": uid, "post": post})

    def comment(self, post, comment, author, text, mentions):
        self.comments[post, comment] = {"author": author, "text": text, "mentions": list(mentions)}
        about = {"actor": author, "post": post, "comment": comment}
        known = self.told_of.setdefault((post, comment), {})
        owner = self.posts[post]["author"]
        for uid, kind in [(owner, "comment"), *((uid, "mention") for uid in mentions if uid != owner)]:
            if uid not in known and self.tells(uid, author):
                self.tell(uid, {"kind": kind, **about})
                known[uid] = kind

    def edit(self, post, comment, text, mentions):
        old = self.comments[post, comment]
        known = self.told_of[post, comment]
        about = {"actor": old["author"], "post": post, "comment": comment}
        for uid, kind in known.items():
            if kind == "mention" and uid not in mentions:
                self.withdraw(uid, {"kind": "mention", **about})
        for uid in mentions:
            if uid not in known and uid != self.posts[post]["author"] and self.tells(uid, old["author"]):
                self.tell(uid, {"kind": "mention", **about})
                known[uid] = "mention"
        old.update(text=text, mentions=list(mentions))

    def delete_comment(self, post, comment):
        old = self.comments.pop((post, comment), None)
        for uid, kind in self.told_of.pop((post, comment), {}).items():
            self.withdraw(uid, {"kind": kind, "actor": old["author"], "post": post, "comment": comment})

    def announce(self, text, people):
        for uid in sorted(set(people)):
            self.tell(uid, {"kind": "announcement", "text": text})

    def read(self, uid, keys):
        for notice in self.told[uid]:
            if key(notice) in keys:
                notice["unread"] = False

    def delete_person(self, uid):
        """Deletes all data of a person, and about them. Nobody interacts with them until it is done."""
        for post in [post for post, record in self.posts.items() if record["author"] == uid]:
            self.delete_post(post)
        for comment in [comment for comment, record in self.comments.items() if record["author"] == uid]:
            self.delete_comment(*comment)
        for like in [like for like in self.likes if like[1] == uid]:
            self.unlike(*like)
            self.once.pop(("like", *like), None)
        for one, other in [pair for pair in self.follows if uid in pair]:
            self.unfollow(one, other)
            self.once.pop(("follow", other, one), None)
        self.blocks = {pair for pair in self.blocks if uid not in pair}
        for notice in list(self.told[uid]):
            self.withdraw(uid, notice)
        self.leave_audiences(uid)
        self.names.pop(uid, None)
        self.pictures.pop(uid, None)
        self.hidden.discard(uid)
        self.gone.add(uid)

    # Notifications

    def tells(self, uid, actor):
        return uid != actor and not self.are_blocked(uid, actor)

    def tell_once(self, uid, notice, cause):
        if self.tells(uid, notice["actor"]) and self.once.get(cause) != uid:
            self.once[cause] = uid
            self.tell(uid, notice)

    def tell(self, uid, notice):
        self.told[uid].append({**notice, "unread": True})
        self.ever_told[uid, key(notice)] = self.ever_told.get((uid, key(notice)), 0) + 1
        self.withdrawn.discard((uid, key(notice)))

    def withdraw(self, uid, notice):
        kept = [other for other in self.told[uid] if key(other) != key(notice)]
        if len(kept) < len(self.told[uid]):
            self.told[uid] = kept
            self.withdrawn.add((uid, key(notice)))

    # Questions

    def author(self, uid):
        """Returns the copy of a person's name and picture in their posts and comments."""
        picture = {"profile_picture": self.pictures[uid]} if self.pictures.get(uid) else {}
        return {"uid": uid, "full_name": self.names[uid], **picture}

    def present(self):
        return [uid for uid in self.people if uid not in self.gone]

    def are_blocked(self, one, other):
        return one != other and ((one, other) in self.blocks or (other, one) in self.blocks)

    def feed(self, uid):
        return [
            post for post, record in reversed(self.posts.items())
            if record["author"] == uid
            or (uid, record["author"]) in self.follows and not self.are_blocked(uid, record["author"])
        ]

    def person_exists(self, uid):
        """Whether people/{uid} exists."""
        return uid in self.names or any(one == uid for one, _ in self.follows)


def key(notice):
    """Returns the subject of a notification; a person has no two with the same subject."""
    about = notice["text"] if notice["kind"] == "announcement" else notice.get("actor")
    return (notice["kind"], about, notice.get("post"), notice.get("comment"))

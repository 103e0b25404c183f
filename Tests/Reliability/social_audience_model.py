"""The effects of actions on audiences and on the posts for them; a part of the model of all actions."""


class AudienceModel:
    def __init__(self, names):
        self.audience_names = names
        self.audiences = {}  # id → {name, kind, members: {uid: role}}
        self.used = set()  # audiences that were deleted
        self.story_posts = {}  # id → {author, text, audiences: set, is_raw}
        self.arrivals = {}  # (audience, post) → the time of the post's arrival, equal for audiences that received it at once
        self.now = 0

    # Actions

    def set_audience(self, audience, name, kind, members):
        self.audiences[audience] = {"name": name, "kind": kind, "members": dict(members)}

    def set_member(self, audience, uid, role):
        """Sets a role; None removes the member. The last owner stays."""
        if self.is_last_owner(audience, uid) and role != "owner":
            return
        members = self.audiences[audience]["members"]
        members.pop(uid, None)
        if role:
            members[uid] = role

    def delete_audience(self, audience):
        posts = self.story(audience)
        del self.audiences[audience]
        for post in posts:
            self.leave(post, audience)
        self.used.add(audience)
        # Keep the number of audiences that can be created.
        self.audience_names.append(f"{audience.split('-')[0]}-{len(self.used)}")

    def story_post(self, post, author, text, audiences, is_raw=False):
        """Adds a post; `is_raw` marks those that a client of the database has written."""
        self.story_posts[post] = {"author": author, "text": text, "audiences": set(audiences), "is_raw": is_raw}
        self.now += 1
        for audience in audiences:
            self.arrivals[audience, post] = self.now

    def edit_story_post(self, post, text):
        self.story_posts[post]["text"] = text

    def join(self, post, audience):
        if audience not in self.story_posts[post]["audiences"]:
            self.story_posts[post]["audiences"].add(audience)
            self.now += 1
            self.arrivals[audience, post] = self.now

    def leave(self, post, audience):
        """Removes a post from an audience; with the last one it is deleted."""
        self.story_posts[post]["audiences"].discard(audience)
        self.arrivals.pop((audience, post), None)
        if not self.story_posts[post]["audiences"]:
            del self.story_posts[post]

    def delete_story_post(self, post):
        for audience in list(self.story_posts[post]["audiences"]):
            self.leave(post, audience)

    def expire_story_posts(self):
        """Expires posts; those of clients are from 1970."""
        old = [post for post, record in self.story_posts.items() if record["is_raw"]]
        for post in old:
            self.delete_story_post(post)
        return len(old)

    def leave_audiences(self, uid):
        """Deletes a person completely; the first poster, else the first reader, inherits from the last owner."""
        for post in [post for post, record in self.story_posts.items() if record["author"] == uid]:
            self.delete_story_post(post)
        for audience, record in self.audiences.items():
            members, needs_heir = record["members"], self.is_last_owner(audience, uid)
            members.pop(uid, None)
            heirs = sorted(members, key=lambda one: (members[one] != "poster", one))
            if needs_heir and heirs:
                members[heirs[0]] = "owner"

    # Questions

    def role(self, audience, uid):
        return self.audiences.get(audience, {"members": {}})["members"].get(uid)

    def is_last_owner(self, audience, uid):
        owners = [one for one, role in self.audiences[audience]["members"].items() if role == "owner"]
        return owners == [uid]

    def refusal(self, author, audiences):
        """Returns the reason why a person may not post for some audiences; None if they may."""
        for audience in sorted(audiences):
            role = self.role(audience, author)
            if role in (None, "reader"):
                return "not_allowed" if role else "not_member"
        return None

    def story(self, audience):
        """Returns the posts of an audience, the newest first."""
        posts = [(when, post) for (other, post), when in self.arrivals.items() if other == audience]
        return [post for _, post in sorted(posts, reverse=True)]

    def memberships(self, uid):
        return {audience: record["members"][uid] for audience, record in self.audiences.items() if uid in record["members"]}

    def stories(self, uid):
        """Returns the posts of all of a person's audiences, the newest first, by their arrival in the last of them."""
        latest = {}
        for (audience, post), when in self.arrivals.items():
            if audience in self.memberships(uid) and not self.are_blocked(uid, self.story_posts[post]["author"]):
                latest[post] = max(when, latest.get(post, 0))
        return sorted(latest, key=latest.get, reverse=True)

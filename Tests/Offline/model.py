"""What people have done on their devices, and what the service must have of it once everything is quiet."""

import collections
import re

TOKEN = re.compile(r"([PC]\d+)\b")


def token(text):
    """Returns the mark of a post or a comment, which each of its texts begins with."""
    found = TOKEN.match(text or "")
    return found[1] if found else None


class Act:
    """Something that a person has done on a device.

    `is_certain`: the device has acknowledged it; otherwise the device ended before its answer, and it may be there or not.
    """

    def __init__(self, device, kind, value, is_certain, write):
        self.device, self.kind, self.value, self.is_certain, self.write = device, kind, value, is_certain, write

    def __repr__(self):
        mark = "" if self.is_certain else "?"
        return f"{self.kind}{mark} {self.value!r} by {self.device} as {self.write}"


class Model:
    """The acts by the entity that they concern, in their order on each device.

    Entities are ("post", P), ("comment", C), ("text", P or C), ("like", P, person), ("follow", person, other),
    ("block", person, other), ("bio", person) and ("tree", path).
    """

    def __init__(self):
        self.acts = collections.defaultdict(list)
        self.authors, self.photos, self.posts_of = {}, {}, {}
        self.retried = set()

    def note(self, entity, act):
        self.acts[entity].append(act)

    def allowed(self, entity, parked, initial):
        """Returns the values that an entity may have: the last one of each device."""
        acts = [act for act in self.acts[entity] if (act.device, act.write) not in parked]
        values = {act.value for act in acts if (act.device, act.write) in self.retried}
        is_certain = False
        for device in {act.device for act in acts}:
            for act in reversed([act for act in acts if act.device == device]):
                values.add(act.value)
                if act.is_certain:
                    is_certain = True
                    break
        return values if is_certain else values | {initial}

    def existence(self, entity, parked):
        """Returns the numbers of times that a post or a comment may be on the service."""
        acts = self.acts[entity]
        creations = [act for act in acts if act.kind == "create"]
        deletions = [act for act in acts if act.kind == "delete" and (act.device, act.write) not in parked]
        if any(act.is_certain for act in deletions):
            return {0}
        (creation,) = creations
        is_open = not creation.is_certain or (creation.device, creation.write) in parked or deletions
        return {0, 1} if is_open else {1}


def children(tree, *path):
    """Returns the children of a node of the tree as a dictionary, also where the keys are numbers."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    if isinstance(tree, list):
        return {str(index): value for index, value in enumerate(tree) if value is not None}
    return tree or {}


class Comparison:
    """Compares the tree of the service with the model."""

    def __init__(self, model, tree, parked):
        self.model, self.tree, self.parked, self.problems = model, tree, parked, []
        self.posts = collections.defaultdict(list)
        self.comments = collections.defaultdict(list)

    def complain(self, text, entity=None):
        acts = f": {self.model.acts[entity]}" if entity else ""
        self.problems.append(text + acts)

    def run(self):
        for post, value in children(self.tree, "posts").items():
            self.posts[token(value.get("text"))].append((post, value))
        for post, comments in children(self.tree, "comments").items():
            for comment, value in comments.items():
                self.comments[token(value.get("text"))].append((post, comment, value))
        for entity in list(self.model.acts):
            getattr(self, f"compare_{entity[0]}")(entity)
        for mark in self.posts.keys() | self.comments.keys():
            if mark not in self.model.authors:
                self.complain(f"an unknown {mark}: {self.posts[mark]} {self.comments[mark]}")
        return self.problems

    def id_of(self, mark):
        """Returns the id of a post that is on the service once; None for others."""
        found = self.posts.get(mark, [])
        return found[0][0] if len(found) == 1 else None

    def compare_post(self, entity):
        mark = entity[1]
        found, allowed = self.posts.get(mark, []), self.model.existence(entity, self.parked)
        if len(found) not in allowed:
            return self.complain(f"{mark} is {len(found)} times on the service, not {allowed}", entity)
        for _, value in found:
            if value["author"]["uid"] != self.model.authors[mark]:
                self.complain(f"{mark} is by {value['author']}", entity)
            count = len(children(value, "photos")) if "photos" in value else 0
            if mark in self.model.photos and count != self.model.photos[mark]:
                self.complain(f"{mark} has {count} photos, not {self.model.photos[mark]}", entity)

    def compare_comment(self, entity):
        mark = entity[1]
        post_mark = self.model.posts_of[mark]
        found, allowed = self.comments.get(mark, []), self.model.existence(entity, self.parked)
        if self.id_of(post_mark) is None:
            allowed = {0}
        if len(found) not in allowed:
            return self.complain(f"{mark} on {post_mark} is {len(found)} times on the service, not {allowed}", entity)
        for post, _, value in found:
            if post != self.id_of(post_mark):
                self.complain(f"{mark} is on {post} instead of {post_mark}", entity)
            if value["author"]["uid"] != self.model.authors[mark]:
                self.complain(f"{mark} is by {value['author']}", entity)

    def compare_text(self, entity):
        mark = entity[1]
        found = [value for *_, value in self.posts.get(mark, []) + self.comments.get(mark, [])]
        self.compare_value(entity, found[0]["text"] if len(found) == 1 else None, len(found) == 1, None)

    def compare_value(self, entity, value, is_there, initial):
        if not is_there:
            return
        allowed = self.model.allowed(entity, self.parked, initial)
        if value not in allowed:
            self.complain(f"{entity} is {value!r}, not {allowed}", entity)

    def compare_like(self, entity):
        post = self.id_of(entity[1])
        value = entity[2] in children(self.tree, "likes", post) if post else False
        self.compare_value(entity, value, post is not None, False)

    def compare_follow(self, entity):
        value = entity[2] in children(self.tree, "people", entity[1], "following")
        pairs = [("block", entity[1], entity[2]), ("block", entity[2], entity[1])]
        blocks = any(pair[2] in children(self.tree, "blocking", pair[1]) for pair in pairs)
        if blocks and value:
            self.complain(f"{entity} although one has blocked the other", entity)
        if not any(pair in self.model.acts for pair in pairs):
            self.compare_value(entity, value, True, True)

    def compare_block(self, entity):
        value = entity[2] in children(self.tree, "blocking", entity[1])
        self.compare_value(entity, value, True, False)

    def compare_bio(self, entity):
        self.compare_value(entity, children(self.tree, "people", entity[1]).get("bio"), True, None)

    def compare_tree(self, entity):
        self.compare_value(entity, children(self.tree, "torture").get(entity[1]), True, None)

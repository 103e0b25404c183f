"""What a person does on a device, at random, with what the device shows."""

import itertools
import pathlib

from device import Killed, Refused
from model import Act, token

PHOTO = pathlib.Path(__file__).parents[2] / "Fixtures" / "grey.jpg"
ACTIONS = {
    "post": 14, "edit_post": 12, "delete_post": 4, "like": 22, "comment": 14, "edit_comment": 10, "delete_comment": 4,
    "follow": 4, "block": 2, "tree": 8, "tree_based": 6, "bio": 3, "read": 3, "decide": 6,
}


class Person:
    """A person at one device."""

    marks, versions = itertools.count(1), itertools.count(1)

    def __init__(self, device, model, uids, random, folder, log, counts):
        self.device, self.model, self.random, self.folder = device, model, random, folder
        self.log, self.counts = log, counts
        self.others = [uid for uid in uids if uid != device.person]
        self.discarded = set()
        # The values of the nodes that only this device writes; a node is missing if its value is uncertain.
        self.nodes = {f"{device.name}-{number}": None for number in range(2)}

    async def act(self):
        """Does one thing, if the device shows anything to do it with."""
        self.state = (await self.device.do("state"))["state"]
        name = self.random.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        await getattr(self, name)()
        self.counts[f"act {name}"] += 1

    async def do(self, entities, kind, value, command, **arguments):
        """Gives the device a command, and notes what it acknowledges. Returns the answer; None for a refusal."""
        certain, write, answer = True, None, None
        try:
            answer = await self.device.do(command, **arguments)
            write = answer.get("write")
        except Killed:
            certain = False
            raise
        except Refused as error:
            self.log(f"{self.device.name} {command} {arguments}: {error}")
            certain = None
        finally:
            if certain is not None:
                self.log(f"{self.device.name} {command} {arguments} -> {answer}")
                for entity in entities:
                    act_kind, act_value = (kind, value) if entity[0] != "text" or kind == "set" else ("set", value)
                    self.model.note(entity, Act(self.device.name, act_kind, act_value, certain, write))
        return answer

    # Targets

    def posts(self, is_own=None):
        shown = [post for post in self.state["posts"] if token(post["post"].get("text")) and post["state"] != "toBeDeleted"]
        if is_own is not None:
            shown = [post for post in shown if (post["post"]["author"]["uid"] == self.device.person) == is_own]
        return shown

    def comments(self):
        return [
            (post, comment) for post in self.posts() for comment in self.state["comments"][post["identity"]]
            if comment["comment"]["author"]["uid"] == self.device.person and comment["state"] != "toBeDeleted"
        ]

    def pick(self, targets):
        # The newest are often not known to the service yet.
        return self.random.choice(targets[:4] if self.random.random() < 0.6 else targets) if targets else None

    # Actions

    async def post(self):
        mark = f"P{next(self.marks)}"
        photos = []
        if self.random.random() < 0.3:
            photos = [self.photo(f"{mark}-{number}") for number in range(self.random.choice([1, 1, 2, 3]))]
        text = f"{mark} v{next(self.versions)}"
        self.model.authors[mark], self.model.photos[mark] = self.device.person, len(photos)
        await self.do([("post", mark), ("text", mark)], "create", text, "post", text=text, photos=photos)

    def photo(self, name):
        """Makes a photo that no other is equal to, of up to a few pieces: a JPEG with long comments."""
        data = PHOTO.read_bytes()
        comments = b""
        for _ in range(self.random.choice([1, 1, 1, 20, 50])):
            noise = self.random.randbytes(65_000)
            comments += b"\xff\xfe" + (len(noise) + 2).to_bytes(2, "big") + noise
        file = self.folder / f"{name}.jpg"
        file.write_bytes(data[:2] + comments + data[2:])
        return str(file)

    async def edit_post(self):
        if post := self.pick(self.posts(is_own=True)):
            mark = token(post["post"]["text"])
            text = f"{mark} v{next(self.versions)}"
            await self.do([("text", mark)], "set", text, "edit-post", post=post["identity"], text=text)

    async def delete_post(self):
        if post := self.pick(self.posts(is_own=True)):
            mark = token(post["post"]["text"])
            await self.do([("post", mark)], "delete", None, "delete-post", post=post["identity"])

    async def like(self):
        if post := self.pick(self.posts()):
            entity = ("like", token(post["post"]["text"]), self.device.person)
            on = not post["post"].get("liked", False)
            await self.do([entity], "set", on, "like", post=post["identity"], on=on)

    async def comment(self):
        if post := self.pick(self.posts()):
            mark = f"C{next(self.marks)}"
            text = f"{mark} v{next(self.versions)}"
            self.model.authors[mark], self.model.posts_of[mark] = self.device.person, token(post["post"]["text"])
            await self.do([("comment", mark), ("text", mark)], "create", text, "comment", post=post["identity"], text=text)

    async def edit_comment(self):
        if target := self.pick(self.comments()):
            post, comment = target
            mark = token(comment["comment"]["text"])
            text = f"{mark} v{next(self.versions)}"
            await self.do([("text", mark)], "set", text, "edit-comment", post=post["identity"], text=text,
                          comment=comment["identity"])

    async def delete_comment(self):
        if target := self.pick(self.comments()):
            post, comment = target
            mark = token(comment["comment"]["text"])
            await self.do([("comment", mark)], "delete", None, "delete-comment", post=post["identity"],
                          comment=comment["identity"])

    async def follow(self):
        if self.others:
            other, on = self.random.choice(self.others), self.random.random() < 0.8
            await self.do([("follow", self.device.person, other)], "set", on, "follow", person=other, on=on)

    async def block(self):
        if self.others:
            other, on = self.random.choice(self.others), self.random.random() < 0.3
            await self.do([("block", self.device.person, other)], "set", on, "block", person=other, on=on)

    async def tree(self):
        path, value = f"k{self.random.randrange(6)}", f"v{next(self.versions)}"
        await self.do([("tree", path)], "set", value, "write", path=f"torture/{path}", values={"": value})

    async def tree_based(self):
        """Writes a node based on its last value, of which only this device writes any: there can be no conflict."""
        path, value = self.random.choice([f"{self.device.name}-{number}" for number in range(2)]), f"v{next(self.versions)}"
        base = {"base": self.nodes[path]} if path in self.nodes else {}
        self.nodes.pop(path, None)
        if await self.do([("tree", path)], "set", value, "write", path=f"torture/{path}", values={"": value}, **base):
            self.nodes[path] = value

    async def bio(self):
        value = f"v{next(self.versions)}"
        await self.do([("bio", self.device.person)], "set", value, "profile", bio=value)

    async def read(self):
        notifications = self.state["notifications"]
        arguments = {}
        if notifications and self.random.random() < 0.7:
            arguments = {"up_to": self.random.choice(notifications)["id"]}
        await self.do([], "set", None, "read", **arguments)

    async def decide(self):
        """Retries or discards a write that waits for the person."""
        if not self.state["parked"]:
            return
        write = self.random.choice(self.state["parked"])["write"]
        key = (self.device.name, write)
        if self.random.random() < 0.5:
            self.model.retried.add(key)
            if await self.do([], "set", None, "retry", write=write) is not None:
                # An earlier attempt to discard it had no effect.
                self.discarded.discard(key)
        else:
            await self.discard(write)

    async def discard_refused(self, all_kinds):
        """Discards refused writes, for which others may wait: posts, or all of them."""
        for write in (await self.device.do("state"))["state"]["parked"]:
            if (all_kinds or (write["post"] or "").startswith("local-")) and not write["isConflict"]:
                await self.discard(write["write"])

    async def discard(self, write):
        """Discards a write, unless the device refuses it."""
        key = (self.device.name, write)
        is_known = key in self.discarded
        self.discarded.add(key)
        if await self.do([], "set", None, "discard", write=write) is None and not is_known:
            self.discarded.remove(key)

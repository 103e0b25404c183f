"""A retreat: Documentation/Retreat.md, played. Its rules are those of the page."""

import json
import pathlib
import re

from checks import check, equal
from client import NOTHING, NOW, Client, refused
from handset import Handset
from service import PHOTO, SecureService

from harness.waiting import eventually

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Documentation/Retreat.md"
SHARED = ["people", "posts", "comments", "likes", "stats", "announcements", "events", "places", "chat/lobby"]
MINUTE = 60_000


class Retreat:
    def __init__(self, folder, network):
        self.folder = folder
        self.service = SecureService(folder, network)
        self.wire = network.phone

    def play(self):
        # The language and the time zone of the service's machine have no effect.
        self.service.start(LC_ALL="tr_TR.UTF-8", TZ="Pacific/Kiritimati")
        try:
            self.arrive()
            self.say_where_they_are()
            self.organize()
            self.chat()
            self.share_photos()
            self.announce()
            self.use_phone()
            self.go_on_without_it()
            self.come_back()
            self.phone.kill()
        finally:
            self.service.kill()

    # The people

    def arrive(self):
        service = self.service
        rules = json.loads(service.tintype("rules", "show", "--json"))
        own = json.loads(re.search(r"^```json retreat\.json\n(.*?)^```", PAGE.read_text(), re.M | re.S)[1])
        both = {"rules": {**rules["rules"], **own["rules"]}}
        service.tintype("rules", "set", "-", typed=json.dumps(both))
        service.tintype(
            "user", "add", "dana@example.org", "--uid", "dana", "--name", "Dana", "--password-file", "-", "--admin",
            typed="sesame!")
        self.dana = Client(service.url).sign("signInWithPassword", email="dana@example.org", password="sesame!")
        self.ann, self.bob, self.carol = (self.sign_up(name) for name in ("Ann", "Bob", "Carol"))
        for person, name, role in (
                (self.ann, "Ann", "speaker"), (self.bob, "Bob", "cook"), (self.carol, "Carol", "guest"),
                (self.dana, "Dana", "organizer")):
            person.do("PUT", f"/v1/people/{person.uid}", json={"full_name": name, "role": role, "bio": "New here"})
        found = self.bob.do("GET", "/v1/people?search=ca")["people"]
        equal("people have profiles, and are found", [one["uid"] for one in found], [self.carol.uid])

    def sign_up(self, name):
        return Client(self.service.url).sign("signUp", displayName=name, **self.proof(name))

    @staticmethod
    def proof(name):
        return {"email": f"{name.lower()}@example.org", "password": "correct horse"}

    def say_where_they_are(self):
        where = {"latitude": 46.5, "longitude": 8.1, "timestamp": NOW}
        self.ann.set(f"locations/{self.ann.uid}", {**where, "shared": True})
        self.bob.set(f"locations/{self.bob.uid}", {**where, "shared": False})
        equal("the map shows the people who share their location", list(self.on_map(self.carol)), [self.ann.uid])
        equal("people read their own location, shared or not", self.bob.get(f"locations/{self.bob.uid}/shared"), False)
        refused("others do not read a location that is not shared", 401, lambda: self.carol.get(f"locations/{self.bob.uid}"))
        refused("nor all locations at once", 401, lambda: self.carol.get("locations"))
        refused("nor a list of those that are not shared", 401, lambda: (
            self.carol.database.child("locations").order_by_child("shared").equal_to(False).get(self.carol.token)))
        refused("people do not write another one's location", 401, lambda: (
            self.carol.set(f"locations/{self.bob.uid}/shared", True)))

    def on_map(self, person):
        found = person.database.child("locations").order_by_child("shared").equal_to(True).get(person.token).val()
        return found or {}

    # The organizers

    def organize(self):
        dana, lodge = self.dana, {"name": "Lodge", "latitude": 46.5, "longitude": 8.1}
        dana.set("places/lodge", lodge)
        refused("only admins change places", 401, lambda: self.ann.set("places/lodge/name", "Mine"))
        for what, place in (
                ("a place without coordinates", {"name": "Lake"}),
                ("a place with half of them", {"name": "Lake", "latitude": 46.5}),
                ("a text as coordinate", {**lodge, "latitude": "NaN"}),
                ("a latitude past the pole", {**lodge, "latitude": 90.5}),
                ("a longitude beyond all numbers", {**lodge, "longitude": 1e308})):
            refused(f"{what} is refused", 401, lambda place=place: dana.set("places/lake", place))
        for text in (b"NaN", b"Infinity", b"1e999"):
            refused(f"{text.decode()} as a coordinate is refused", 400, lambda text=text: dana.ask(
                "PUT", "/places/lake.json", data=b'{"name":"Lake","longitude":8.1,"latitude":%s}' % text))
        equal("none of it is stored", self.carol.get("places"), {"lodge": lodge})

        # Not written in the order in which they take place, with titles that languages sort differently.
        self.noon = self.now() // MINUTE * MINUTE
        for key, title, minutes in (("c", "Zelt", 30), ("a", "Ätna", 10), ("d", "ırmak", 20), ("b", "Iris", 0)):
            dana.set(f"events/{key}", {
                "title": title, "starts": self.noon + minutes * MINUTE, "ends": self.noon + (minutes + 5) * MINUTE,
                "place": "lodge"})
        first = [self.carol.database.child("events").order_by_child("starts").limit_to_first(count).get(self.carol.token).val()
                 for count in (1, 2, 3)]
        equal("events are in the order of integer times", [list(events) for events in first],
              [["b"], ["b", "a"], ["b", "a", "d"]])
        event = {"title": "Tea", "starts": self.noon, "ends": self.noon + MINUTE}
        for what, change in (
                ("a text as time", {"starts": "2026-11-23 12:00"}), ("a part of a millisecond", {"ends": self.noon + 0.5}),
                ("an end before the start", {"ends": self.noon - 1}), ("an unknown place", {"place": "moon"})):
            refused(f"{what} is refused", 401, lambda change=change: dana.set("events/tea", {**event, **change}))
        refused("only admins change events", 401, lambda: self.ann.remove("events/a"))

    def now(self):
        """The service's time."""
        return self.dana.get(f"chat/lobby/{self.say(self.dana, 'Welcome')}/timestamp")

    # The chat and the photos

    @staticmethod
    def message(person, text):
        return {"uid": person.uid, "name": person.name, "text": text, "timestamp": NOW}

    def say(self, person, text):
        return person.push("chat/lobby", self.message(person, text))

    def chat(self):
        self.first = self.say(self.ann, "Who is at the lake?")
        mine = self.message(self.ann, "Hello")
        for what, change in (
                ("a time as text", {"timestamp": "Mon Nov 23 10:00:00 2026"}),
                ("the time of a phone's clock", {"timestamp": 1795252185421}),
                ("another one's name", {"name": "Bob"}), ("another one's id", {"uid": self.bob.uid}),
                ("an empty text", {"text": ""}), ("a long one", {"text": "x" * 2000})):
            refused(f"a message with {what} is refused", 401, lambda change=change: (
                self.ann.push("chat/lobby", {**mine, **change})))
        refused("messages are not changed", 401, lambda: self.ann.set(f"chat/lobby/{self.first}/text", "Never"))
        refused("people do not delete others' messages", 401, lambda: self.bob.remove(f"chat/lobby/{self.first}"))
        refused("reading requires a sign-in", 401, lambda: self.bob.session.get(
            f"{self.service.url}/chat/lobby.json"))

    def share_photos(self):
        for person in (self.bob, self.carol):
            person.do("PUT", f"/v1/people/{person.uid}/following/{self.ann.uid}")
        self.lake = self.ann.post("The lake #retreat", PHOTO)
        self.comment(self.bob, self.lake, "@Carol, look", self.carol)
        self.bob.do("PUT", f"/v1/posts/{self.lake}/likes/{self.bob.uid}")
        [item] = self.carol.do("GET", f"/v1/people/{self.carol.uid}/feed")["posts"]
        equal("a feed has photos, authors, numbers and comments in one answer",
              [item["author"]["full_name"], item["counts"]["likes"], item["counts"]["comments"],
               item["comments"][0]["text"], item["comments"][0]["author"]["full_name"], item["liked"]],
              ["Ann", 1, 1, "@Carol, look", "Bob", False])
        equal("a mentioned person is notified", [one["kind"] for one in self.news(self.carol)], ["mention"])

    @staticmethod
    def comment(person, post, text, mentioned):
        mention = {"uid": mentioned.uid, "start": text.index("@"), "length": 6}
        person.do("POST", f"/v1/posts/{post}/comments", json={"text": text, "mentions": [mention]})

    @staticmethod
    def news(person):
        return person.do("GET", f"/v1/people/{person.uid}/notifications")["notifications"]

    def announce(self):
        refused("only admins announce", 403, lambda: self.ann.ask(
            "POST", "/v1/announcements", json={"text": "Party"}))
        self.dana.do("POST", "/v1/announcements", json={"text": "Dinner is at seven"})
        self.dana.do("POST", "/v1/announcements", json={"text": "You are in group B", "to": [self.carol.uid]})
        equal("an announcement is for all, or for some", [
            [one["text"] for one in self.news(person) if one["kind"] == "announcement"] for person in (self.carol, self.bob)],
            [["You are in group B", "Dinner is at seven"], ["Dinner is at seven"]])
        self.carol.do("POST", f"/v1/people/{self.carol.uid}/notifications/read", json={"all": True})
        answer = self.carol.do("GET", f"/v1/people/{self.carol.uid}/notifications")
        equal("read notifications stay", [answer["unread"], len(answer["notifications"])], [0, 3])

    # A phone that loses its network

    def use_phone(self):
        self.phone = Handset(self.service, self.wire, self.folder / "phone.json")
        uid = self.phone.tell("sign", "signInWithPassword", self.proof("Carol"))
        self.parts = [*SHARED, f"notifications/{uid}", f"unread/{uid}", f"feed/{uid}"]
        self.phone.tell("keep", *self.parts)
        self.phone.tell("listen")
        key = self.say(self.bob, "Tea?")
        self.phone.sees("a message", f"chat/lobby/{key}/text", lambda text: text == "Tea?")
        self.carol.set(f"likes/{self.lake}/{uid}", NOW)
        self.phone.sees("a like", f"stats/posts/{self.lake}/likes", lambda likes: likes == 2)
        self.bob.remove(f"chat/lobby/{key}")
        self.phone.sees("its deletion", f"chat/lobby/{key}", lambda message: message is None)
        check("a listening phone receives writes, derived data and deletions", True)

    def go_on_without_it(self):
        phone, carol = self.phone, self.carol
        doomed = self.bob.post("Not for long", PHOTO)
        bio = f"people/{carol.uid}/bio"
        based_on, self.key = phone.tell("know", bio), phone.tell("key")
        phone.go_offline()
        author = {"uid": carol.uid, "full_name": carol.name}
        self.queue = [
            [f"chat/lobby/{self.key}", self.message(carol, "From the summit"), NOTHING],
            [bio, "On a mountain", based_on],
            [f"comments/{doomed}/{self.key}", {"author": author, "text": "Oh", "timestamp": NOW}, NOTHING],
            [f"comments/{self.lake}/{self.key}", {"author": author, "text": "Still there", "timestamp": NOW}, NOTHING],
            ["The summit #retreat", str(PHOTO), "summit"]]
        phone.tell("later", *self.queue)
        equal("without a network the phone sends nothing, and all of it waits", phone.tell("send"), ["no network"])

        carol.set(bio, "At the lake")  # On another device of hers.
        for number in range(50):
            self.say(self.bob, f"Verse {number}")
        self.ann.remove(f"chat/lobby/{self.first}")
        self.dana.update("", {
            "places/lodge": None, "events/a/place": None, "events/a/starts": self.noon - MINUTE, "events/c": None,
            "places/lake": {"name": "Lake", "latitude": 46.4, "longitude": 8.0}})
        self.service.kill()
        self.service.start()
        for person in (self.ann, self.bob, carol, self.dana):
            person.session.close()  # The earlier connections are dead.
        self.bob.do("DELETE", f"/v1/posts/{doomed}")
        self.bob.do("PATCH", f"/v1/people/{self.bob.uid}", json={"full_name": "Robert"})
        night = self.ann.post("The night #retreat", PHOTO)
        self.comment(self.bob, night, "@Carol, come", carol)
        self.ann.set(f"locations/{self.ann.uid}/shared", False)
        self.dana.do("POST", "/v1/announcements", json={"text": "Rain tomorrow"})
        self.sign_up("Eve").do("GET", "/v1/posts")

    def come_back(self):
        phone, carol = self.phone, self.carol
        phone.go_online()
        caught = phone.tell("catch_up")
        check("a phone that is back catches up by its tokens, in pages",
              caught["changes"] >= 60 and caught["pages"] > len(self.parts) and not caught["closed"], caught)
        self.compare("its copy equals the service's data")
        told = phone.tell("send")
        equal("the queue is sent: writes that are based on old data, or on none, are distinguished",
              [told[0], told[1].get("value"), told[2][:7], told[3]], ["written", "At the lake", "refused", "written"])
        message, bio, _, comment, photo = self.queue
        phone.tell("later", message, comment, photo, [bio[0], "At the lake, on a mountain", told[1]["ETag"]])
        equal("a write that is sent again is stored once, and a conflict is resolved", phone.tell("send"),
              ["there already", "there already", told[4], "written"])
        self.compare("its copy equals the service's data, its own writes included")
        chat = carol.database.child("chat/lobby").order_by_child("timestamp").limit_to_last(1).get(carol.token).val()
        equal("a message from offline is the last one in the chat", list(chat), [self.key])

        phone.tell("listen")
        key = self.say(self.bob, "Welcome back")
        phone.sees("a message", f"chat/lobby/{key}", lambda message: message is not None)
        self.compare("it listens again")
        equal("a person who no longer shares their location is not on the map", self.on_map(carol), {})
        announced = [one["text"] for one in self.news(carol) if one["kind"] == "announcement"]
        equal("announcements stay", announced, ["Rain tomorrow", "You are in group B", "Dinner is at seven"])
        answer = carol.do("GET", f"/v1/people/{carol.uid}/notifications")
        equal("later notifications are unread", answer["unread"], 2)

    def compare(self, what):
        """Checks that the phone's copy equals the service's data, after the service's jobs have ended."""

        def differing():
            self.phone.tell("catch_up")
            return [part for part in self.parts if self.phone.tell("kept", part) != self.dana.get(part)]

        eventually(f"a correct copy: {differing()}", lambda: not differing())
        check(what, True)

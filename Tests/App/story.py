"""A school's stories: a teacher posts for a class, for the school, and for the family of one child."""

from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from checks import check, equal
from client import Client, refused
from handset import Handset
from service import PHOTO, SecureService

from harness.waiting import eventually

CLASS, SCHOOL, ADA = "class-3b", "school", "student-ada"


class ClassStory:
    def __init__(self, folder, network):
        self.folder, self.wire = folder, network.phone
        self.service = SecureService(folder, network)

    def play(self):
        self.service.start()
        try:
            self.begin_school()
            self.post_for_some()
            self.leave_class()
            self.go_on_without_phone()
            self.come_back()
            self.phone.kill()
        finally:
            self.service.kill()

    def begin_school(self):
        # Pia and Pat are Ada's parents, Quin is another child's parent, and Eve is a stranger.
        self.tan, self.head, self.pia, self.pat, self.quin, self.eve = (
            Client(self.service.url).sign("signUp", displayName=name, **self.proof(name))
            for name in ("Tan", "Head", "Pia", "Pat", "Quin", "Eve"))
        readers = {parent.uid: "reader" for parent in (self.pia, self.pat, self.quin)}
        self.make(self.tan, CLASS, "class", readers)
        self.make(self.tan, ADA, "student", {self.pia.uid: "reader", self.pat.uid: "reader"})
        self.make(self.head, SCHOOL, "school", {**readers, self.tan.uid: "poster"})
        for person, wanted in ((self.pia, [CLASS, SCHOOL, ADA]), (self.quin, [CLASS, SCHOOL]), (self.eve, [])):
            listed = [one["id"] for one in person.do("GET", "/v1/audiences")["audiences"]]
            equal(f"{person.name} sees {len(wanted)} audiences", listed, wanted)
        for what, request in (
                ("a parent changes no class", lambda: self.pia.ask(
                    "PUT", f"/v1/audiences/{CLASS}/members/{self.eve.uid}", json={"role": "reader"})),
                ("a stranger does not join an audience", lambda: self.eve.ask(
                    "PUT", f"/v1/audiences/{CLASS}/members/{self.eve.uid}", json={"role": "reader"})),
                ("a parent does not post", lambda: self.upload(self.pia, "Mine", CLASS)),
                ("a stranger does not post", lambda: self.upload(self.eve, "Mine", CLASS))):
            refused(what, 403, request)
        refused("nor through the database", 401, lambda: self.eve.set(f"audiences/{CLASS}/members/{self.eve.uid}", "owner"))

    @staticmethod
    def proof(name):
        return {"email": f"{name.lower()}@example.org", "password": "correct horse"}

    @staticmethod
    def make(owner, audience, kind, members):
        owner.do("PUT", f"/v1/audiences/{audience}", json={"name": audience, "kind": kind, "members": members})

    @staticmethod
    def upload(person, text, *audiences):
        with open(PHOTO, "rb") as photo:
            return person.ask(
                "POST", "/v1/uploads", data={"text": text, "audiences": " ".join(audiences)}, files={"photo": photo})

    def tell(self, text, *audiences):
        """Posts a photo of the teacher's for these audiences."""
        answer = self.upload(self.tan, text, *audiences)
        assert answer.ok, answer.text
        return answer.json()["post_id"]

    # Readers

    def post_for_some(self):
        self.phone, self.quins = (
            Handset(self.service, self.wire, self.folder / f"{name}.json") for name in ("pia", "quin"))
        for phone, name, parts in ((self.phone, "Pia", [CLASS, SCHOOL, ADA]), (self.quins, "Quin", [CLASS, SCHOOL])):
            uid = phone.tell("sign", "signInWithPassword", self.proof(name))
            phone.tell("keep", f"memberships/{uid}", *[f"stories/{part}" for part in parts])
            phone.tell("listen")
        self.parts = [f"memberships/{self.pia.uid}", f"stories/{CLASS}", f"stories/{ADA}"]
        self.bus = self.tell("The bus", CLASS)
        self.trip = self.tell("The trip", CLASS, SCHOOL)
        self.tooth = self.tell("A tooth is out", ADA)
        self.phone.sees("a post", f"stories/{CLASS}/{self.trip}/text", lambda text: text == "The trip")
        self.phone.sees("the same", f"stories/{SCHOOL}/{self.trip}/text", lambda text: text == "The trip")
        self.phone.sees("Ada's", f"stories/{ADA}/{self.tooth}/text", lambda text: text == "A tooth is out")
        self.quins.sees("a post", f"stories/{CLASS}/{self.trip}/text", lambda text: text == "The trip")
        check("listening parents receive each post of their stories at once", True)

        texts = lambda person: [one["text"] for one in person.do("GET", f"/v1/people/{person.uid}/stories")["posts"]]
        equal("all of one's stories, the newest first", [texts(self.pia), texts(self.quin), texts(self.eve)],
              [["A tooth is out", "The trip", "The bus"], ["The trip", "The bus"], []])
        equal("none of it is public", self.eve.do("GET", "/v1/posts")["posts"], [])
        self.nobody_else_sees("a stranger", self.eve, CLASS, self.trip)
        self.nobody_else_sees("another child's parent", self.quin, ADA, self.tooth)
        self.sees(self.pat, ADA, self.tooth)

    def address(self, post):
        """Returns the address of its photo at the service, without a signature."""
        address = urlsplit(self.tan.do("GET", f"/v1/posts/{post}")["thumb_url"])
        fields = [(name, value) for name, value in parse_qsl(address.query) if name != "token"]
        return address.path + (f"?{urlencode(fields)}" if fields else "")

    def sees(self, person, audience, post):
        signed = person.do("GET", f"/v1/posts/{post}")["thumb_url"]
        answers = [person.ask("GET", self.address(post)), person.session.get(urljoin(self.service.url, signed))]
        check(f"{person.name} sees the photo, by token or by signed address", all(
            answer.ok and answer.content[:2] == b"\xff\xd8" for answer in answers), answers)
        equal(f"{person.name} reads the story", post in person.get(f"stories/{audience}"), True)

    def nobody_else_sees(self, who, person, audience, post):
        equal(f"{who} sees neither posts nor photos", [
            person.ask("GET", path).status_code for path in (
                f"/v1/posts/{post}", f"/v1/audiences/{audience}/posts", f"/v1/audiences/{audience}", self.address(post),
                f"/media/{self.tan.uid}/{post}/original.jpg")], [404, 403, 403, 404, 404])
        equal(f"{who} sees nothing in the database", [
            person.ask("GET", path).status_code for path in (
                f"/stories/{audience}.json", f"/stories/{audience}/{post}.json", f"/audience_posts/{post}.json",
                f"/audiences/{audience}/members.json", f"/posts/{post}.json", f"/v1/changes?path=/stories/{audience}&since=oldest")],
            [401, 401, 401, 401, 200, 401])
        equal(f"{who} finds no public post", person.get(f"posts/{post}"), None)
        equal("without a token nothing is readable", [
            person.session.get(self.service.url + path).status_code for path in (
                f"/v1/posts/{post}", self.address(post), f"/stories/{audience}.json")], [404, 404, 401])

    # Leaving, and absence

    def leave_class(self):
        self.tan.do("DELETE", f"/v1/audiences/{CLASS}/members/{self.quin.uid}")
        self.walk = self.tell("A walk", CLASS)
        self.phone.sees("a post", f"stories/{CLASS}/{self.walk}", lambda post: post is not None)
        eventually("the end of a stream", lambda: f"stories/{CLASS}" in self.quins.tell("was_cut_off"))
        equal("a former member receives no new posts", self.quins.tell("kept", f"stories/{CLASS}/{self.walk}"), None)
        caught = self.quins.tell("catch_up")
        equal("and forgets the old ones", [caught["closed"], self.quins.tell("kept", f"stories/{CLASS}")],
              [[f"stories/{CLASS}"], None])
        self.nobody_else_sees("a former member", self.quin, CLASS, self.bus)
        self.sees(self.quin, SCHOOL, self.trip)
        self.quins.kill()

    def go_on_without_phone(self):
        self.wire.cut()
        self.phone.kill()  # Its battery is empty, too.
        later = [self.tell(f"Day {day}", CLASS, *([SCHOOL] if day % 2 else [])) for day in range(5)]
        self.tan.do("DELETE", f"/v1/posts/{self.walk}")
        self.service.kill()
        self.service.start()
        for person in (self.tan, self.head):
            person.session.close()  # The earlier connections are dead.
        self.tan.do("DELETE", f"/v1/audiences/{CLASS}/posts/{self.trip}")
        self.tan.do("DELETE", f"/v1/posts/{later[4]}")
        self.song = self.tell("A song", ADA)
        self.head.do("DELETE", f"/v1/audiences/{SCHOOL}/members/{self.pia.uid}")
        self.left = sorted([self.bus, *later[:4]])

    def come_back(self):
        self.phone.turn_on()
        self.phone.go_online()
        equal("a phone that was off has its old copy", sorted(self.phone.tell("kept", f"stories/{CLASS}")),
              sorted([self.bus, self.trip, self.walk]))
        caught = self.phone.tell("catch_up")
        equal("it catches up on posts and deletions by its tokens alone",
              [sorted(self.phone.tell("kept", f"stories/{CLASS}")), sorted(self.phone.tell("kept", f"stories/{ADA}"))],
              [self.left, sorted([self.tooth, self.song])])
        equal("it forgets closed parts", [caught["closed"], self.phone.tell("kept", f"stories/{SCHOOL}")],
              [[f"stories/{SCHOOL}"], None])
        differing = [part for part in self.parts if self.phone.tell("kept", part) != self.pia.get(part)]
        equal("its copy equals the service's data", differing, [])
        equal("a second time nothing has changed", self.phone.tell("catch_up")["changes"], 0)
        refused("a deleted post does not exist", 404, lambda: self.pia.ask("GET", f"/v1/posts/{self.walk}"))
        self.phone.tell("listen")
        last = self.tell("Goodbye", CLASS)
        self.phone.sees("a post", f"stories/{CLASS}/{last}", lambda post: post is not None)
        check("it listens again", True)

"""Posts with photos, and the decisions of admins about posts."""

import json
import time
import urllib.parse

from load import FIXTURES
from social_audiences import AudienceDoings

PHOTO = (FIXTURES / "baseline-420.jpg").read_bytes()


class PhotoDoings(AudienceDoings):
    def photo(self):
        author, text, ticket = self.person(), self.words(), self.unique()
        query = urllib.parse.urlencode({"user": author, "text": text})

        def send():
            headers = {"Idempotency-Key": ticket, "Content-Type": "image/jpeg"}
            status, answer = self.service.request("POST", f"/v1/uploads?{query}", PHOTO, headers)
            answer = json.loads(answer)
            while status == 202:  # It was accepted, and is being published.
                time.sleep(0.02)
                _, upload = self.ask("GET", f"/v1/uploads/{answer['upload_id']}")
                if upload["state"] == "published":
                    return 201, {"post_id": answer["upload_id"]}
                if upload["state"] == "failed":
                    return 500, upload
            return status, answer

        def again():
            status, answer = send()
            if status >= 300:
                self.complain(f"sent again with its key, a photo was refused: {status} {answer}")
                return None
            return answer

        self.attempt(f"photo by {author}", send, again,
                     lambda answer: self.model.post(answer["post_id"], author, text, kind="photo"))

    def moderate(self):
        post, decision = self.pick(self.model.posts), self.random.choice(["pass", "blur", "blur", "refuse"])
        if post is None or decision == "refuse" and len(self.model.posts) < 6:
            return
        code, kind = None, self.model.posts[post]["kind"]
        if kind == "raw":
            code = "not_found"
        elif kind == "text" and decision == "blur":
            code = "bad_request"

        def happened():
            record = self.read(f"posts/{post}")
            if record is None or decision == "refuse":
                return None if record else True
            return True if is_blurred(record) == (decision == "blur") else None

        self.attempt(f"moderate {post} {decision}",
                     lambda: self.ask("PUT", f"/v1/posts/{post}/moderation", {"decision": decision}), happened,
                     lambda _: self.model.moderate(post, decision), code)


def is_blurred(record):
    """Whether the photo of a post is shown blurred."""
    return bool(record and record.get("photos") and record["photos"][0].get("blurred"))


class PhotoLook:
    def check_photos(self):
        """Photos are shown as decided, and no address of a hidden one works."""
        for post, record in self.model.posts.items():
            found = self.at(f"posts/{post}")
            self.expect(f"whether posts/{post} is blurred", is_blurred(found), record["is_blurred"])
            if record["kind"] != "photo" or found is None:
                continue
            shown = {rendition["url"] for rendition in found["photos"][0]["renditions"].values()}
            for url in shown:
                self.expect(f"the status of {url}", self.status(url), 200)
            for url in record["seen"] - shown if record["is_blurred"] else ():
                deadline = time.monotonic() + 10
                while self.status(url) == 200 and time.monotonic() < deadline:
                    time.sleep(0.05)
                self.expect(f"the status of {url}, which is hidden", self.status(url), 404)
            record["seen"] |= shown

    def status(self, url):
        return self.group.service.request("GET", urllib.parse.urlsplit(url)._replace(scheme="", netloc="").geturl())[0]

"""A small app: Ada and Ben sign in and post photos, and each may only change their own data.

    TINTYPE_KEY=$(tintype key add app) python3 app.py https://photos.example.org lake.jpg

A person's requests are plain HTTP with the token of their sign-in. The app's server also has an admin key,
with which it uses firebase-admin. REQUESTS_CA_BUNDLE names the certificate authority, unless the system trusts it.
"""

import os
import sys
from urllib.parse import urljoin

import firebase_admin
import google.oauth2.credentials
import requests
from firebase_admin import credentials, db

SERVICE, PHOTO = sys.argv[1:]
KEY = os.environ["TINTYPE_KEY"]
ACCOUNTS = f"{SERVICE}/identitytoolkit.googleapis.com/v1/accounts"


class AdminKey(credentials.Base):
    def get_credential(self):
        return google.oauth2.credentials.Credentials(KEY)


class Person:
    def __init__(self, way, **proof):
        answer = requests.post(f"{ACCOUNTS}:{way}?key=any", json={**proof, "returnSecureToken": True}, timeout=30)
        answer.raise_for_status()
        self.token = answer.json()["idToken"]
        found = requests.post(f"{ACCOUNTS}:lookup?key=any", json={"idToken": self.token}, timeout=30)
        self.uid = found.json()["users"][0]["localId"]

    def ask(self, method, path, **more):
        headers = {"Authorization": f"Bearer {self.token}"}
        return requests.request(method, SERVICE + path, headers=headers, timeout=60, **more)

    def post(self, text):
        """Sends the photo; the answer arrives when the post is published."""
        with open(PHOTO, "rb") as photo:
            answer = self.ask("POST", "/v1/uploads", data={"text": text}, files={"photo": photo})
        answer.raise_for_status()
        return answer.json()["post_id"]

    def feed(self):
        return [self.ask("GET", f"/v1/posts/{post}").json() for post in self.ask("GET", f"/feed/{self.uid}.json").json()]


# Ada signs up with a password. Ben is a user of the app's own server, which vouches for him.
ada = Person("signUp", email="ada@example.org", password="correct horse", displayName="Ada")
vouched = requests.post(
    f"{SERVICE}/v1/users/ben/token?custom=true", headers={"Authorization": f"Bearer {KEY}"}, timeout=30)
ben = Person("signInWithCustomToken", token=vouched.json()["token"])

lake = ada.post("Two of us #lake")
[shown] = ada.feed()
# If the service has a public address, posts have full addresses of photos, otherwise paths. Everybody may fetch this photo; a
# token is for the service alone.
thumbnail = requests.get(urljoin(SERVICE, shown["thumb_url"]), timeout=60)
thumbnail.raise_for_status()
print(f"{shown['author']['full_name']} posts {lake}; the thumbnail has {len(thumbnail.content)} bytes")
ben.ask("PUT", f"/likes/{lake}/{ben.uid}.json", json={".sv": "timestamp"}).raise_for_status()

server = firebase_admin.initialize_app(AdminKey(), {"databaseURL": SERVICE})
print("The server sees who likes it:", ", ".join(db.reference(f"likes/{lake}").get()))

original = f"/media/{ada.uid}/{lake}/original.jpg"
for what, answer, expected in [
    ("read Ada's feed", ben.ask("GET", f"/feed/{ada.uid}.json"), 401),
    ("write into her post", ben.ask("PUT", f"/posts/{lake}/text.json", json="Mine"), 401),
    ("like it as Ada", ben.ask("PUT", f"/likes/{lake}/{ada.uid}.json", json={".sv": "timestamp"}), 401),
    ("post as Ada", ben.ask("POST", "/v1/uploads", params={"user": ada.uid, "text": "Hello"}), 403),
    ("delete her post", ben.ask("DELETE", f"/v1/posts/{lake}"), 403),
    ("fetch the photo as her camera made it", ben.ask("GET", original), 404),
    ("list the admin keys", ben.ask("GET", "/v1/keys"), 403),
]:
    why = answer.json().get("code") or answer.json().get("error")
    print(f"Ben may not {what}: {answer.status_code} {why}")
    assert answer.status_code == expected, answer.text

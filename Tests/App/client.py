"""A signed-in user: pyrebase for the database, plain HTTP for the routes, one token for both."""

import pyrebase
import requests
from checks import equal
from requests.adapters import HTTPAdapter

TOOLKIT = "identitytoolkit.googleapis.com/v1/accounts"
NOW = {".sv": "timestamp"}  # The service replaces it with its time.
NOTHING = "null_etag"  # The ETag of an absent value.


def objects(value):
    """Returns the value with objects in place of the lists that the protocol creates from numbered keys."""
    if isinstance(value, list):
        value = {str(number): item for number, item in enumerate(value) if item is not None}
    return {key: objects(item) for key, item in value.items()} if isinstance(value, dict) else value


class Impatient(HTTPAdapter):
    """Adds a timeout: pyrebase waits for ever, as would a phone that has lost its network."""

    def send(self, *request, timeout=None, **more):
        return super().send(*request, timeout=timeout or 30, **more)


class Client:
    def __init__(self, url):
        self.url, self.token, self.uid, self.name = url, None, None, None
        self.database = pyrebase.initialize_app(
            {"apiKey": "none", "authDomain": "", "databaseURL": url, "storageBucket": ""}).database()
        self.session = self.database.requests
        self.session.mount("https://", Impatient())

    # Accounts

    def sign(self, way, **proof):
        """Signs up or in: signUp, signInWithPassword, signInWithCustomToken."""
        answer = self.session.post(f"{self.url}/{TOOLKIT}:{way}?key=none", json={**proof, "returnSecureToken": True})
        answer.raise_for_status()
        self.take(answer.json()["idToken"], answer.json()["refreshToken"])
        found = self.session.post(f"{self.url}/{TOOLKIT}:lookup?key=none", json={"idToken": self.token})
        account = found.json()["users"][0]
        self.uid, self.name = account["localId"], account.get("displayName")
        return self

    def renew(self):
        """Exchanges the refresh token for a new ID token, because the old one is valid for an hour only."""
        answer = self.session.post(
            f"{self.url}/securetoken.googleapis.com/v1/token?key=none",
            data={"grant_type": "refresh_token", "refresh_token": self.refresh})
        answer.raise_for_status()
        self.take(answer.json()["id_token"], answer.json()["refresh_token"])

    def take(self, token, refresh):
        self.token, self.refresh = token, refresh

    # The routes

    def ask(self, method, path, **more):
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        return self.session.request(method, self.url + path, headers=headers, **more)

    def do(self, method, path, **more):
        """Returns the answer to a request, which must succeed."""
        answer = self.ask(method, path, **more)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def post(self, text, photo, **headers):
        with open(photo, "rb") as file:
            return self.do("POST", "/v1/uploads", data={"text": text}, files={"photo": file}, headers=headers)["post_id"]

    # The database

    def get(self, path):
        return objects(self.database.child(path).get(self.token).val())

    def set(self, path, value):
        return self.database.child(path).set(value, self.token)

    def update(self, path, values):
        return self.database.child(path).update(values, self.token)

    def remove(self, path):
        return self.database.child(path).remove(self.token)

    def push(self, path, value):
        return self.database.child(path).push(value, self.token)["name"]


def refused(what, status, request):
    """Checks that the request of a function is refused with that status."""
    try:
        answer = request()
        found = answer.status_code if isinstance(answer, requests.Response) else 200
    except requests.HTTPError as error:
        # pyrebase wraps the error with the answer in another one, with the text.
        found = (error.args[0] if isinstance(error.args[0], requests.HTTPError) else error).response.status_code
    equal(what, found, status)

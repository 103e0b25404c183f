"""The differences between the vendor's clients in the protocol."""

import json

from hashes import CompoundHash
from queries import INTEGER, KEY, PRIORITY
from wire import MAX_NAME, MIN_NAME

PUSH_CHARACTERS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
LONGEST_KEY = 786  # Bytes; the limit in the clients.


def successor(key):
    """Returns the key after a key, as phones compute it."""
    if INTEGER.match(key) and -(1 << 31) <= int(key) < 1 << 31:
        return str(int(key) + 1) if int(key) < (1 << 31) - 1 else PUSH_CHARACTERS[0]
    if len(key) < LONGEST_KEY:
        return key + PUSH_CHARACTERS[0]
    kept = key.rstrip(PUSH_CHARACTERS[-1])
    if not kept:
        return MAX_NAME
    return kept[:-1] + PUSH_CHARACTERS[PUSH_CHARACTERS.index(kept[-1]) + 1]


def predecessor(key):
    """Returns the key before a key, as phones compute it."""
    if INTEGER.match(key) and -(1 << 31) <= int(key) < 1 << 31:
        return str(int(key) - 1) if int(key) > -(1 << 31) else MIN_NAME
    if key[-1] == PUSH_CHARACTERS[0]:
        return key[:-1] if len(key) > 1 else str((1 << 31) - 1)
    before = key[:-1] + PUSH_CHARACTERS[PUSH_CHARACTERS.index(key[-1]) - 1]
    return before + PUSH_CHARACTERS[-1] * (LONGEST_KEY - len(before))


def limit_of(query):
    if query.limit is None:
        return {}
    return {"l": query.limit, "vf": "l" if query.is_left else "r"}


def index_of(query):
    return {} if query.index == PRIORITY else {"i": query.index}


def looks_like_token(credential):
    return credential.count(".") == 2


class JavaScript:
    """firebase-js-sdk, in a browser."""

    name = "js"
    first_request = 1
    is_whole_at_once = True  # It does not wait until its credential is accepted.
    repeats_after_refresh = False
    no_app_check = "unappeck"
    stats = "sdk.js.12-17-0"
    drops_all_revoked = False  # Whether a revocation ends all listens of its path.

    def opening(self, namespace, last_session):
        """Returns the target of the request that opens a socket."""
        last = f"&ls={last_session}" if last_session else ""
        return f"/.ws?v=5{last}&p=1:123:web:abc&ns={namespace}"

    def headers(self, host):
        return [("Origin", f"http://{host}"), ("User-Agent", "Mozilla/5.0"),
                ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")]

    def query(self, query):
        """Returns a query in the form of a message."""
        body = {}
        for bound, value, name, inclusive, extreme in (
                (query.start, "sp", "sn", "sin", MAX_NAME), (query.end, "ep", "en", "ein", MIN_NAME)):
            if bound is None:
                continue
            body[value] = bound.value
            if bound.key is not None:
                body[name] = bound.key
            elif bound.is_open and query.index != KEY:
                body[name] = extreme
            body[inclusive] = not bound.is_open
        return {**body, **limit_of(query), **index_of(query)}

    def auth(self, credential):
        """Returns the action that sends a credential, and its body."""
        return ("auth" if looks_like_token(credential) else "gauth"), {"cred": credential}

    def resumption(self, listen_hash, value):
        """Returns the fields of a listen that describe the client's current value."""
        return {"h": listen_hash}


class Phone(JavaScript):
    """The common behaviour of iOS and Android."""

    is_whole_at_once = False
    drops_all_revoked = True

    def query(self, query):
        body = {}
        for bound, value, name, extreme, neighbour in (
                (query.start, "sp", "sn", MAX_NAME, successor), (query.end, "ep", "en", MIN_NAME, predecessor)):
            if bound is None:
                continue
            if query.index == KEY:
                body[value] = neighbour(bound.value) if bound.is_open else bound.value
                continue
            body[value] = bound.value
            if bound.key is not None:
                body[name] = neighbour(bound.key) if bound.is_open else bound.key
            elif bound.is_open:
                body[name] = extreme
        return {**body, **limit_of(query), **index_of(query)}

    def resumption(self, listen_hash, value):
        if len(json.dumps(value)) <= 1024:
            return {"h": listen_hash}
        return {"h": listen_hash, "ch": CompoundHash(value).body()}


class IOS(Phone):
    """firebase-ios-sdk."""

    name = "ios"
    first_request = 0
    stats = "sdk.ios.12-4-0"

    def opening(self, namespace, last_session):
        return f"/.ws?v=5&ns={namespace}" + (f"&ls={last_session}" if last_session else "")

    def headers(self, host):
        return [("User-Agent", "Firebase/5/12.4.0/18.1/iPhone"), ("X-Firebase-GMPID", "1:123:ios:abc")]

    def auth(self, credential):
        return "auth", {"cred": credential}


class Android(Phone):
    """firebase-android-sdk."""

    name = "android"
    first_request = 0
    repeats_after_refresh = True
    no_app_check = "unappcheck"
    stats = "sdk.android.22-0-1"

    def opening(self, namespace, last_session):
        return f"/.ws?ns={namespace}&v=5" + (f"&ls={last_session}" if last_session else "")

    def headers(self, host):
        return [("User-Agent", "Firebase/5/22.0.1/35/Android"), ("X-Firebase-GMPID", "1:123:android:abc"),
                ("X-Firebase-AppCheck", "null")]

    def auth(self, credential):
        if looks_like_token(credential):
            return "auth", {"cred": credential}
        return "gauth", {"cred": credential}


ALL = (JavaScript, IOS, Android)

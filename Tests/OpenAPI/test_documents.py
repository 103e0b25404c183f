"""Compares the answers of a service with its description: every field is described."""

import json
import os
import pathlib

import jsonschema_rs
import pytest
import requests

from harness.waiting import eventually

BASE = os.environ["SERVICE"]
ROOT = pathlib.Path(__file__).parents[2]
PHOTO = ROOT / "Fixtures" / "photo.jpg"
# Clients of the database write these: they may have more fields.
OPEN = {"Post", "PostAuthor", "PostPhoto", "PostRendition"}


@pytest.fixture(scope="module")
def description():
    document = requests.get(f"{BASE}/v1/openapi.json", timeout=30).json()
    for name, schema in document["components"]["schemas"].items():
        if schema.get("type") == "object" and name not in OPEN:
            schema["additionalProperties"] = False
    return document


@pytest.fixture
def check(description):
    """Sends a request, and compares the answer with its description."""

    def ask(method, path, status, parameters=None, stream=False, **values):
        answer = requests.request(
            method, BASE + path.format(**values), timeout=30, stream=stream, **(parameters or {}))
        assert answer.status_code == status, answer.text
        responses = description["paths"][path][method]["responses"]
        kind = answer.headers["Content-Type"].split(";")[0]
        content = responses[str(status)]["content"][kind]
        if stream:
            return answer, content["x-item-schema"]
        schemas = content.get("x-item-schema") or content["schema"]
        documents = [json.loads(line) for line in answer.text.splitlines()] if "x-item-schema" in content else [answer.json()]
        for document in documents:
            validate(description, schemas, document)
        return documents[-1] if documents else None

    return ask


def validate(description, schema, document):
    jsonschema_rs.Draft202012Validator({**schema, "components": description["components"]}).validate(document)


def test_the_pages_for_people_name_each_request(description):
    text = (ROOT / "Documentation" / "HTTP.md").read_text()
    accounts = (ROOT / "Documentation" / "Accounts.md").read_text()
    for path, operations in description["paths"].items():
        if "googleapis" in path:
            assert f"`{path}`" in accounts or f"{path[path.rindex(':'):]}`" in accounts, path
            continue
        assert f" {path}`" in text, path
        assert any(f"{method.upper()} {path}`" in text for method in operations), path


def test_the_way_of_a_photo(check):
    photo = PHOTO.read_bytes()
    post = check("post", "/v1/uploads", 201, {
        "params": {"user": "maria", "text": "At the lake #summer", "alt": "A lake"}, "data": photo,
        "headers": {"Idempotency-Key": "one"}})
    check("get", "/v1/uploads/{id}", 200, id=post["post_id"])
    check("get", "/v1/posts/{id}", 200, id=post["post_id"])
    check("get", "/v1/people/{uid}", 200, uid="maria")
    assert check("get", "/v1/people/{uid}/posts", 200, uid="maria")["posts"]
    check("post", "/v1/uploads", 409, {"params": {"user": "maria", "duplicates": "reject"}, "data": photo})
    check("post", "/v1/uploads", 202, {"params": {"user": "maria", "text": "Later"}, "headers": {"Prefer": "respond-async"}})
    check("get", "/v1/posts/{id}/originals", 200, {"params": {"location": "keep"}}, id=post["post_id"])
    check("post", "/v1/posts/{id}/scrub", 200, id=post["post_id"])
    check("post", "/v1/scrub", 200, {"params": {"check": "true"}})
    job = check("post", "/v1/jobs", 201, {"json": {"kind": "rethumb", "only_missing": True}})
    assert check("get", "/v1/jobs", 200)["jobs"][0]["id"] == job["id"]
    assert check("get", "/v1/jobs/{id}", 200, id=job["id"])["kind"] == "rethumb"
    check("get", "/v1/status", 200)
    check("delete", "/v1/posts/{id}", 200, id=post["post_id"])
    check("get", "/v1/posts/{id}", 404, id=post["post_id"])


def test_keeping(check, tmp_path):
    for name in "backups", "house.tar":
        assert check("post", "/v1/backup", 200, {"params": {"to": f"{tmp_path}/{name}"}})["finished"]
    check("post", "/v1/backup", 400, {"params": {"to": "backups"}})
    assert check("get", "/v1/upgrade", 200)["state"] == "current"
    check("post", "/v1/upgrade/confirm", 409)


def test_a_draft(check):
    draft = check("post", "/v1/uploads", 201, {"params": {"user": "maria", "draft": "true"}})["upload_id"]
    for name in "a.jpg", "b.jpg":
        files = {"photo": (name, PHOTO.read_bytes(), "image/jpeg")}
        assert check("post", "/v1/uploads/{id}/photos", 201, {"files": files}, id=draft)["photos"][0]["renditions"]
    check("post", "/v1/uploads/{id}/publish", 201, {"json": {"text": "Two", "alt": ["One", "Other"]}}, id=draft)
    check("post", "/v1/uploads/{id}/publish", 409, {"json": {"text": "Three"}}, id=draft)


def test_likes_and_comments(check):
    post = check("post", "/v1/uploads", 201, {"params": {"user": "maria", "text": "Hello"}})["post_id"]
    assert check("put", "/v1/posts/{id}/likes/{uid}", 200, id=post, uid="maria")["likes"] == 1
    assert check("get", "/v1/posts/{id}/likes", 200, id=post)["people"]
    assert check("get", "/v1/people/{uid}/likes", 200, uid="maria")["posts"]
    assert check("delete", "/v1/posts/{id}/likes/{uid}", 200, id=post, uid="maria")["likes"] == 0
    text = {"text": "Hello @Maria", "mentions": [{"uid": "maria", "start": 6, "length": 6}]}
    comment = check("post", "/v1/posts/{id}/comments", 201, {"json": text, "params": {"as": "maria"}}, id=post)["comment_id"]
    check("patch", "/v1/posts/{id}/comments/{comment}", 200, {"json": text, "params": {"as": "maria"}}, id=post, comment=comment)
    check("get", "/v1/posts/{id}/comments/{comment}", 200, id=post, comment=comment)
    assert check("get", "/v1/posts/{id}/comments", 200, {"params": {"order": "newest", "limit": 1}}, id=post)["comments"]
    text["mentions"][0]["start"] = 7
    check("post", "/v1/posts/{id}/comments", 422, {"json": text, "params": {"as": "maria"}}, id=post)
    check("delete", "/v1/posts/{id}/comments/{comment}", 200, id=post, comment=comment)
    check("delete", "/v1/posts/{id}/comments/{comment}", 404, id=post, comment=comment)


def test_a_refusal(check):
    refused = check("post", "/v1/uploads", 415, {"params": {"user": "maria"}, "data": b"no photo"})
    assert refused["code"] == "unsupported_format"
    check("get", "/v1/uploads/{id}", 404, id="nothing")


def test_pages_and_changes(check):
    requests.put(f"{BASE}/posts/no-post.json", json={"text": 1}, timeout=30).raise_for_status()
    page = check("get", "/v1/posts", 200, {"params": {"limit": 1}})
    assert page["has_more"] and page["next"]
    assert check("get", "/v1/posts", 200, {"params": {"limit": 200}})["skipped"]
    changes = check("get", "/v1/changes", 200, {"params": {"since": "oldest", "path": "/posts"}})
    assert changes["changes"]
    values = check("get", "/v1/values", 200, {"params": {"path": ["posts/no-post", "a.b"]}})["values"]
    assert values[0]["value"] == {"text": 1} and values[1]["error"]["code"] == "invalid_path"
    check("get", "/v1/values", 400)
    check("get", "/v1/changes", 410, {"params": {"since": "999999999"}})
    requests.delete(f"{BASE}/posts/no-post.json", timeout=30).raise_for_status()


def test_people(check):
    json = {"full_name": "Ann Lée", "profile_picture": "/ann.jpg", "role": "speaker", "bio": "Hello."}
    check("put", "/v1/people/{uid}", 201, {"json": json}, uid="ann")
    check("patch", "/v1/people/{uid}", 200, {"json": {"bio": None}}, uid="ann")
    check("patch", "/v1/people/{uid}", 400, {"json": {"nose": "long"}}, uid="ann")
    check("put", "/v1/people/{uid}", 201, {"json": {"full_name": "Bob"}}, uid="bob")
    assert check("get", "/v1/people", 200, {"params": {"search": "lee"}})["people"]
    page = check("get", "/v1/people", 200, {"params": {"limit": 1}})
    assert page["has_more"] and page["next"]
    check("put", "/v1/people/{uid}/following/{followee}", 200, uid="bob", followee="ann")
    check("put", "/v1/people/{uid}/following/{followee}", 422, uid="bob", followee="bob")
    assert check("get", "/v1/people/{uid}", 200, {"params": {"as": "bob"}}, uid="ann")["followed"]
    assert check("get", "/v1/people/{uid}/following", 200, uid="bob")["people"]
    assert check("get", "/v1/people/{uid}/followers", 200, uid="ann")["people"]
    check("put", "/v1/people/{uid}/blocking/{blocked}", 200, uid="ann", blocked="bob")
    check("put", "/v1/people/{uid}/following/{followee}", 403, uid="bob", followee="ann")
    assert check("get", "/v1/people/{uid}/blocking", 200, uid="ann")["people"]
    check("delete", "/v1/people/{uid}/blocking/{blocked}", 200, uid="ann", blocked="bob")
    check("delete", "/v1/people/{uid}/following/{followee}", 200, uid="bob", followee="ann")
    check("get", "/v1/people/{uid}/deletion", 404, uid="ann")
    check("delete", "/v1/people/{uid}", 202, uid="ann")
    # The service accepts no new data of a person who is being deleted.
    eventually("the end of the deletion", lambda: check("get", "/v1/people/{uid}/deletion", 200, uid="ann").get("ended"))


def test_events(check, description):
    answer, schema = check("get", "/v1/posts/events", 200, stream=True)
    requests.post(f"{BASE}/v1/uploads", params={"user": "maria", "text": "News"}, timeout=30).raise_for_status()
    event = next(line for line in answer.iter_lines() if line.startswith(b"data: "))
    validate(description, schema, json.loads(event.removeprefix(b"data: ")))
    answer.close()


def test_notifications(check):
    post = check("post", "/v1/uploads", 201, {"params": {"user": "ann", "text": "Look"}})["post_id"]
    requests.put(f"{BASE}/likes/{post}/bob.json", json=1, timeout=30).raise_for_status()
    comment = {"author": {"uid": "bob", "full_name": "Bob", "profile_picture": "/b.jpg"}, "text": "Nice", "timestamp": 1}
    requests.put(f"{BASE}/comments/{post}/c.json", json=comment, timeout=30).raise_for_status()
    letter = check("post", "/v1/announcements", 201, {"json": {"text": "To you", "to": ["ann"]}})
    assert letter["recipients"] == 1
    news = check("post", "/v1/announcements", 201, {"json": {"text": "To all", "title": "News"}})
    check("post", "/v1/announcements", 400, {"json": {"text": ""}})
    page = check("get", "/v1/people/{uid}/notifications", 200, {"params": {"limit": 3}}, uid="ann")
    assert [row["kind"] for row in page["notifications"]] == ["announcement", "announcement", "comment"]
    assert page["unread"] == 4 and page["has_more"]
    check("get", "/v1/people/{uid}/notifications", 200, {"params": {"before": page["next"]}}, uid="ann")
    read = "/v1/people/{uid}/notifications/read"
    assert check("post", read, 200, {"json": {"ids": [page["notifications"][0]["id"]]}}, uid="ann")["unread"] == 3
    assert check("post", read, 200, {"json": {"all": True}}, uid="ann")["unread"] == 0
    check("post", read, 400, {"json": {}}, uid="ann")
    check("post", read, 415, {"data": "{}"}, uid="ann")
    assert check("get", "/v1/announcements", 200)["announcements"][0]["id"] == news["id"]
    assert check("delete", "/v1/announcements/{id}", 200, id=news["id"])["deleted"]
    check("delete", "/v1/announcements/{id}", 404, id=news["id"])


def test_the_outbox(check):
    for state in "dead", "waiting":
        assert check("get", "/v1/outbox", 200, {"params": {"state": state}})["deliveries"] == []
    check("post", "/v1/outbox/{id}/retry", 404, id="000000000000002a-00000000:ann")


def test_keys_and_tokens(check):
    assert check("post", "/v1/keys", 201, {"params": {"name": "backup", "lifetime": 60}})["key"]
    check("post", "/v1/keys", 409, {"params": {"name": "backup"}})
    assert check("get", "/v1/keys", 200)["name"]
    assert check("delete", "/v1/keys/{name}", 200, name="backup")["deleted"]
    check("delete", "/v1/keys/{name}", 404, name="backup")
    check("post", "/v1/signing-keys", 200)
    check("post", "/v1/users/{uid}/token", 201, {"params": {"custom": "true"}}, uid="maria")
    check("post", "/v1/users/{uid}/token", 404, uid="nobody")


def test_what_the_operator_asks(check):
    for path in "/healthz", "/readyz", "/v1/version", "/v1/site", "/v1/status", "/v1/unclaimed":
        check("get", path, 200)
    check("post", "/v1/reload", 200)
    check("post", "/v1/unclaimed/accept", 200)
    check("delete", "/v1/unclaimed/{uid}/{post}", 404, uid="maria", post="-OaBcDeFgHiJkLmNoPqR")

"""Firebase's client SDK for Python: an app signs up, stores photos, and posts one like FriendlyPix's web client."""

import pathlib
import uuid

import pytest
import requests
from conftest import ADDRESS, BASE
from firebase_client import initialize_app

from harness.waiting import eventually

PHOTO = (pathlib.Path(__file__).parents[2] / "Fixtures" / "photo.jpg").read_bytes()
BUCKET = "tintype.appspot.com"


@pytest.fixture
def app():
    """The app of a new user, at the emulator."""
    host, port = ADDRESS.split(":")
    app = initialize_app(
        {
            "apiKey": "none", "authDomain": "", "projectId": "tintype", "appId": "none", "storageBucket": BUCKET,
            "databaseURL": f"{BASE}?ns=tintype",
        }, name=f"app-{uuid.uuid4().hex}")
    app.auth.connect_emulator(host, int(port))
    app.storage.connect_emulator(host, int(port))
    app.database.connect_emulator(host, int(port))
    app.auth.create_user_with_email_and_password(f"{uuid.uuid4().hex}@example.org", "secret-words")
    return app


def uid(app):
    return app.auth.current_user.uid


@pytest.mark.parametrize("chunk", [None, 262144])
def test_an_upload_in_several_requests_is_the_object(app, chunk):
    name = f"{uid(app)}/full/1/photo.jpg"
    task = app.storage.upload_bytes_resumable(name, PHOTO, content_type="image/jpeg", chunk_size=chunk)
    assert task.wait(60).metadata["size"] == str(len(PHOTO))
    assert app.storage.get_bytes(name) == PHOTO


def test_metadata_lists_and_deletion(app):
    folder = f"{uid(app)}/full/2"
    for number in range(3):
        app.storage.upload_bytes(f"{folder}/{number}.jpg", PHOTO[:1000], content_type="image/jpeg")
    listed = app.storage.list_all(folder)
    assert [item.full_path for item in listed.items] == [f"{folder}/{number}.jpg" for number in range(3)]
    changed = app.storage.update_metadata(f"{folder}/0.jpg", {"metadata": {"k": "v"}, "cacheControl": "no-store"})
    assert changed["metadata"] == {"k": "v"} and changed["metageneration"] == "2"
    app.storage.delete_object(f"{folder}/0.jpg")
    assert requests.get(f"{BASE}/v0/b/{BUCKET}/o/{folder.replace('/', '%2F')}%2F0.jpg", timeout=30).status_code == 404


def test_nobody_writes_what_is_anothers(app):
    with pytest.raises(Exception, match="No WRITE permission"):
        app.storage.upload_bytes("somebody/full/1/a.jpg", PHOTO, content_type="image/jpeg")


def test_a_photo_becomes_a_post_of_ours(app):
    user, post = uid(app), requests.post(f"{BASE}/keys.json?ns=scratch", json=1, timeout=30).json()["name"]
    urls = {}
    for size in ("full", "thumb"):
        name = f"{user}/{size}/{post}/photo.jpg"
        app.storage.upload_bytes(name, PHOTO, content_type="image/jpeg")
        urls[size] = app.storage.get_download_url(name)
        assert requests.get(urls[size], timeout=30).content == PHOTO
    record = {
        "full_url": urls["full"], "thumb_url": urls["thumb"], "text": "#sunny", "client": "web",
        "timestamp": {".sv": "timestamp"}, "author": {"uid": user, "full_name": "Anonymous", "profile_picture": ""},
        "full_storage_uri": f"gs://{BUCKET}/{user}/full/{post}/photo.jpg",
        "thumb_storage_uri": f"gs://{BUCKET}/{user}/thumb/{post}/photo.jpg",
    }
    app.database.update(
        "", {f"posts/{post}": record, f"people/{user}/posts/{post}": True, f"feed/{user}/{post}": True})

    def read():
        value = requests.get(f"{BASE}/posts/{post}.json", timeout=30).json()
        return value if value and "photos" in value else None

    stored = eventually("the post's photos", read)
    photo = stored["photos"][0]
    assert photo["width"] > 0 and "thumb" in photo["renditions"]
    assert stored["full_url"] == urls["full"] and stored["thumb_url"] != urls["thumb"]
    thumb = requests.get(stored["thumb_url"], timeout=30)
    assert thumb.status_code == 200 and thumb.headers["content-type"] == "image/jpeg"

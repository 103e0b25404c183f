"""A running service, and its clients. Run by Scripts/test-clients, which passes the address."""

import os
import uuid

import firebase_admin
import pyrebase
import pytest
import requests
from firebase_admin import db

ADDRESS = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
BASE = f"http://{ADDRESS}"


@pytest.fixture
def namespace():
    """A test's own tree."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def root(namespace):
    """The tree through firebase-admin; it reads no credential, because the variable declares an emulator."""
    app = firebase_admin.initialize_app(
        None, {"databaseURL": f"https://{namespace}.firebaseio.com"}, name=namespace)
    yield db.reference(app=app)
    firebase_admin.delete_app(app)


@pytest.fixture
def database():
    """The service's own tree through pyrebase."""
    configuration = {"apiKey": "none", "authDomain": "", "databaseURL": BASE, "storageBucket": ""}
    return pyrebase.initialize_app(configuration).database()


@pytest.fixture
def place():
    """A key in the service's own tree that no other test uses; deleted afterwards."""
    name = f"client-tests-{uuid.uuid4().hex}"
    yield name
    requests.delete(f"{BASE}/{name}.json").raise_for_status()


@pytest.fixture
def rest(namespace):
    """Sends a request of the protocol: rest("put", "a/b", json=1, print="silent")."""

    def send(method, path, json=None, data=None, headers=None, **parameters):
        return requests.request(
            method, f"{BASE}/{path}.json", json=json, data=data, headers=headers,
            params={**parameters, "ns": namespace}, timeout=30)

    return send

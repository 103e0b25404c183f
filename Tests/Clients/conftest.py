"""A running service, and the clients that speak to it. Run by Scripts/test-clients, which says where it is."""

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
    """A tree of a test's own."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def root(namespace):
    """The tree as firebase-admin sees it; no credential is touched, since the variable says that this is an emulator."""
    app = firebase_admin.initialize_app(
        None, {"databaseURL": f"https://{namespace}.firebaseio.com"}, name=namespace)
    yield db.reference(app=app)
    firebase_admin.delete_app(app)


@pytest.fixture
def database():
    """The service's own tree as pyrebase sees it."""
    configuration = {"apiKey": "none", "authDomain": "", "databaseURL": BASE, "storageBucket": ""}
    return pyrebase.initialize_app(configuration).database()


@pytest.fixture
def place():
    """A key in the service's own tree that no other test has; gone afterwards."""
    name = f"client-tests-{uuid.uuid4().hex}"
    yield name
    requests.delete(f"{BASE}/{name}.json").raise_for_status()


@pytest.fixture
def rest(namespace):
    """Sends a request as the protocol has it: rest("put", "a/b", json=1, print="silent")."""

    def send(method, path, json=None, data=None, headers=None, **parameters):
        return requests.request(
            method, f"{BASE}/{path}.json", json=json, data=data, headers=headers,
            params={**parameters, "ns": namespace}, timeout=30)

    return send

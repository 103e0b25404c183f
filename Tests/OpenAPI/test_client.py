"""Generates a client from the served description, and does with it what an app does: no request is written by hand."""

import importlib
import io
import json
import os
import pathlib
import subprocess
import sys

import pytest
import requests

# The socket, whose clients are admins, and the address for everybody else.
SOCKET = os.environ["SERVICE"]
ADDRESS = os.environ["ADDRESS"]
HERE = pathlib.Path(__file__).parent
PHOTO = HERE.parents[1] / "Fixtures" / "photo.jpg"
NAME = "generated_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The generated package. A warning, such as an operation that is left out, fails."""
    folder = tmp_path_factory.mktemp("client")
    description = folder / "openapi.json"
    description.write_bytes(requests.get(f"{SOCKET}/v1/openapi.json", timeout=30).content)
    programs = pathlib.Path(sys.executable).parent
    made = subprocess.run(
        [
            programs / "openapi-python-client", "generate", "--path", description, "--config", HERE / "client.yaml",
            "--output-path", folder / NAME, "--meta", "none", "--fail-on-warning",
        ],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}, capture_output=True, text=True, timeout=300,
        check=False)
    assert made.returncode == 0 and "arning" not in made.stdout + made.stderr, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    try:
        yield Package(json.loads(description.read_bytes()))
    finally:
        sys.path.remove(str(folder))


class Package:
    """The generated package: its models, and its functions by the names of operations."""

    def __init__(self, description):
        self.client = importlib.import_module(f"{NAME}.client")
        self.models = importlib.import_module(f"{NAME}.models")
        self.types = importlib.import_module(f"{NAME}.types")
        self.tags = {
            operation["operationId"]: operation["tags"][0]
            for operations in description["paths"].values() for operation in operations.values()
        }

    def operation(self, name):
        module = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
        return importlib.import_module(f"{NAME}.api.{self.tags[name]}.{module}").sync_detailed

    def photo(self):
        return self.types.File(payload=io.BytesIO(PHOTO.read_bytes()), file_name="photo.jpg", mime_type="image/jpeg")


class Person:
    """Somebody with an account, who sends requests with the generated functions."""

    def __init__(self, package, name):
        self.package = package
        self.stranger = package.client.Client(base_url=ADDRESS)
        self.account = {"email": f"{name}@example.org", "password": f"secret of {name}", "return_secure_token": True}
        self.client = self.stranger
        self.enter(self.call("signUp", 200, body=package.models.SignUpRequest(**self.account)))

    def enter(self, tokens):
        self.uid = tokens.local_id
        self.refresh_token = tokens.refresh_token
        self.use(tokens.id_token)

    def use(self, token):
        self.client = self.package.client.AuthenticatedClient(base_url=ADDRESS, token=token)

    def call(self, name, status, *values, **parameters):
        response = self.package.operation(name)(*values, client=self.client, **parameters)
        assert response.status_code == status, response.content
        assert response.parsed is not None, response.content
        return response.parsed


@pytest.fixture(scope="module")
def people(generated):
    return Person(generated, "ann.generated"), Person(generated, "bob.generated")


def test_one_signs_in_and_renews_the_token(generated, people):
    ann, _ = people
    models = generated.models
    ann.client = ann.stranger
    ann.enter(ann.call("signInWithPassword", 200, body=models.SignInRequest(**ann.account)))
    found = ann.call("lookUpAccount", 200, body=models.AccountLookupRequest(id_token=ann.client.token))
    assert [account.local_id for account in found.users] == [ann.uid]
    renewed = ann.call("refreshToken", 200, body=models.TokenRefreshRequest(
        grant_type=models.TokenRefreshRequestGrantType.REFRESH_TOKEN, refresh_token=ann.refresh_token))
    assert renewed.user_id == ann.uid
    ann.use(renewed.id_token)
    wrong = models.SignInRequest(email=ann.account["email"], password="something else")
    assert isinstance(ann.call("signInWithPassword", 400, body=wrong), models.IdentityError)


def test_an_app_posts_follows_reads_comments_and_deletes(generated, people):
    ann, bob = people
    models = generated.models
    for person, name in (ann, "Ann"), (bob, "Bob"):
        assert person.call("putPerson", 200, person.uid, body=models.NewProfile(full_name=name)).full_name == name

    form = models.UploadForm(alt="A lake", text="At the lake #generated", photo=[generated.photo(), generated.photo()])
    published = ann.call("createUpload", 201, body=form)
    assert isinstance(published, models.Published)
    post = ann.call("getPost", 200, published.post_id)
    assert post.text == "At the lake #generated" and post.author.uid == ann.uid
    assert [bool(photo.renditions.additional_properties) for photo in post.photos] == [True, True]
    whole = ann.call("createUpload", 201, body=generated.photo(), text="The body is the photo")
    assert len(whole.post.photos) == 1

    assert bob.call("followPerson", 200, bob.uid, ann.uid).following
    feed = bob.call("getFeed", 200, bob.uid, limit=2)
    assert [row.post_id for row in feed.posts] == [whole.post_id, published.post_id]

    comment = bob.call("createComment", 201, published.post_id, body=models.CommentText(text="How nice"))
    page = ann.call("listComments", 200, published.post_id)
    assert [(row.comment_id, row.author.uid) for row in page.comments] == [(comment.comment_id, bob.uid)]
    assert bob.call("likePost", 200, published.post_id, bob.uid).likes == 1
    assert [row.uid for row in ann.call("listLikes", 200, published.post_id).people] == [bob.uid]

    refused = bob.call("deletePost", 403, published.post_id)
    assert isinstance(refused, models.Problem) and refused.code == models.ErrorCode.NOT_ALLOWED and refused.hint
    assert ann.call("deletePost", 200, published.post_id).deleted
    assert ann.call("getPost", 404, published.post_id).code == models.ErrorCode.NOT_FOUND


def test_a_draft_gets_its_photos_one_by_one(generated, people):
    ann, _ = people
    models = generated.models
    draft = ann.call("createUpload", 201, body=models.UploadForm(draft=models.UploadFormDraft.TRUE))
    for alt in "One", "Other":
        ann.call("addPhotos", 201, draft.upload_id, body=models.UploadForm(alt=alt, photo=[generated.photo()]))
    post = ann.call("publishDraft", 201, draft.upload_id, body=models.DraftPublication(text="Two")).post
    assert [photo.alt for photo in post.photos] == ["One", "Other"]


def test_an_account_is_deleted(generated, people):
    ann, _ = people
    models = generated.models
    token, ann.client = ann.client.token, ann.stranger
    ann.call("deleteAccount", 200, body=models.AccountDeletionRequest(id_token=token))
    gone = ann.call("lookUpAccount", 400, body=models.AccountLookupRequest(id_token=token))
    assert isinstance(gone, models.IdentityError) and gone.error.message

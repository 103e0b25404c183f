"""Checks that the description is one from which generators make clients that read well."""

import os
import re
from collections import Counter

import pytest
import requests

BASE = os.environ["SERVICE"]
# The verbs with which the names of operations begin, and the summaries, which are imperatives.
VERBS = set("""
    accept act add announce append approve begin block cancel change check comment compare confirm count create decline
    delete describe dismiss download end exchange expire explain flag follow forget get issue like list look make mark
    moderate override pause plan publish put read refresh reload remove replace request reset resume retry rollback rotate
    scrub send set show sign switch sync take try unblock unflag unfollow unlike update use watch withdraw
    """.split())
# These keywords have a boolean, and are no schemas.
FLAGS = {"additionalProperties", "required", "deprecated", "uniqueItems", "allowReserved", "explode"}
SCHEMA_KEYS = {"schema", "x-item-schema", "items", "not", "contains", "propertyNames", "if", "then", "else"}
SCHEMA_LISTS = {"anyOf", "oneOf", "allOf", "prefixItems"}


@pytest.fixture(scope="module")
def description():
    return requests.get(f"{BASE}/v1/openapi.json", timeout=30).json()


@pytest.fixture(scope="module")
def operations(description):
    return {
        f"{method.upper()} {path}": operation
        for path, methods in description["paths"].items() for method, operation in methods.items()
    }


def nodes(value, path=()):
    """Yields each value of the document, with its path."""
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from nodes(member, (*path, key))


def is_schema(path):
    if path[-1] in SCHEMA_KEYS and path[-2:-1] != ("properties",):
        return True
    return path[-2:-1] == ("properties",) or len(path) > 1 and path[-2] in SCHEMA_LISTS


def test_names_are_unique_and_begin_with_a_verb(operations):
    names = Counter(operation["operationId"] for operation in operations.values())
    assert max(names.values()) == 1, names.most_common(3)
    for name in names:
        assert re.fullmatch(r"[a-z]+([A-Z][A-Za-z]*)*", name), name
        assert re.match(r"[a-z]+", name)[0] in VERBS, name


def test_the_names_that_apps_use_stay(operations):
    """Generated clients break when a name changes."""
    assert {
        "signUp", "signInWithPassword", "signInWithCustomToken", "signInWithClassCode", "lookUpAccount", "updateAccount",
        "deleteAccount", "beginPasskeyEnrollment", "addPasskey", "beginPasskeySignIn", "signInWithPasskey", "sendCode",
        "resetPassword", "refreshToken", "createUpload", "getUpload", "addPhotos", "publishDraft", "listPosts", "getPost",
        "deletePost", "listPersonPosts", "listHashtagPosts", "listHashtags", "listPeople", "getPerson", "putPerson",
        "updatePerson", "deletePerson", "putAvatar", "deleteAvatar", "followPerson", "unfollowPerson", "listFollowers",
        "listFollowing", "blockPerson", "unblockPerson", "listBlocked", "getFeed", "getPrivacy", "updatePrivacy",
        "listComments", "createComment", "getComment", "updateComment", "deleteComment", "likePost", "unlikePost", "listLikes",
        "listLikedPosts", "flagPost", "unflagPost", "flagComment", "unflagComment", "listNotifications",
        "markNotificationsRead", "listAudiences", "getAudience", "putAudience", "updateAudience", "deleteAudience",
        "putAudienceMember", "removeAudienceMember", "listAudiencePosts", "listStories", "getMedia", "getVersion",
    } <= {operation["operationId"] for operation in operations.values()}


def test_each_operation_has_a_listed_tag_and_each_tag_operations(description, operations):
    listed = [tag["name"] for tag in description["tags"]]
    assert len(set(listed)) == len(listed) and all(tag["description"].endswith(".") for tag in description["tags"])
    assert all(len(operation["tags"]) == 1 for operation in operations.values())
    assert {operation["tags"][0] for operation in operations.values()} == set(listed)


def test_summaries_are_imperatives(operations):
    for name, operation in operations.items():
        summary = operation["summary"]
        assert len(summary) <= 72 and not summary.endswith("."), f"{name}: {summary}"
        assert summary.split()[0].lower() in VERBS and summary[0].isupper(), f"{name}: {summary}"
        assert operation.get("description", ".").endswith("."), name


def test_pages_for_people_are_not_described(operations):
    for name, operation in operations.items():
        for response in operation["responses"].values():
            assert not {"text/html", "text/css", "text/javascript"} & set(response.get("content", {})), name


def test_no_schema_is_a_boolean(description):
    for path, value in nodes(description):
        if path and isinstance(value, bool):
            assert path[-1] in FLAGS and not is_schema(path), "/".join(map(str, path))


def test_each_reference_resolves_and_each_component_is_used(description):
    used = set()
    for path, value in nodes(description):
        if path and path[-1] == "$ref":
            prefix, name = value.rsplit("/", 1)
            assert prefix == "#/components/schemas" and name in description["components"]["schemas"], value
            if path[:3] != ("components", "schemas", name):
                used.add(name)
    assert used == set(description["components"]["schemas"])


def test_bodies_and_objects_have_names(description, operations):
    for name, operation in operations.items():
        answers = {**operation["responses"], "body": operation.get("requestBody", {})}
        for content in (content for answer in answers.values() for content in answer.get("content", {}).values()):
            for schema in content.values():
                assert "properties" not in schema and "anyOf" not in schema and schema.get("type") != "object", name
    for path, value in nodes(description["components"]["schemas"]):
        if isinstance(value, dict) and "properties" in value and is_schema(("", *path)):
            assert len(path) == 1, f"{'/'.join(map(str, path))} has no name"


def test_components_are_described(description):
    for name, schema in description["components"]["schemas"].items():
        assert schema.get("description", "").endswith("."), f"Sources/Requests/SchemaDescriptions.swift lacks {name}"
        assert set(schema.get("required", [])) <= set(schema.get("properties", {})), name
    lacking = [
        f"{name}.{field}" for name, schema in description["components"]["schemas"].items()
        for field, value in schema.get("properties", {}).items() if "$ref" not in value and "description" not in value
    ]
    assert lacking == [], "Sources/Requests/FieldDescription.swift lacks them"
    times = description["components"]["schemas"]["Comment"]["properties"]["timestamp"]
    assert times["format"] == "int64" and "milliseconds" in times["description"]
    assert description["components"]["schemas"]["PostRendition"]["properties"]["url"]["format"] == "uri-reference"
    assert "class" in description["components"]["schemas"]["AudienceKind"]["enum"]


def test_errors_are_problems(operations):
    for name, operation in operations.items():
        errors = {status: answer for status, answer in operation["responses"].items() if status[0] in "45"}
        assert {"400", "5XX"} <= set(errors), name
        is_identity = "googleapis" in name
        kind, schema = ("application/json", "IdentityError") if is_identity else ("application/problem+json", "Problem")
        for status, answer in errors.items():
            if (name, status) == ("GET /readyz", "503"):
                continue # It is the answer of a service that is not ready.
            assert answer["content"] == {kind: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}, f"{name} {status}"


def test_operations_say_who_may_use_them(description, operations):
    schemes = description["components"]["securitySchemes"]
    by_name = {operation["operationId"]: operation["security"] for operation in operations.values()}
    assert {key for security in by_name.values() for item in security for key in item} == set(schemes)
    assert all(scheme["type"] == "http" and scheme["scheme"] == "bearer" for scheme in schemes.values())
    for name in "signUp", "signInWithPassword", "signInWithClassCode", "refreshToken", "getVersion", "checkHealth", "getDescription":
        assert by_name[name] == [], name
    for name in "listPosts", "getPost", "getPerson", "listComments", "getMedia":
        assert {} in by_name[name] and {"idToken": []} in by_name[name], name
    for name in "createUpload", "addPhotos", "publishDraft", "followPerson", "getFeed", "likePost", "createComment":
        assert by_name[name] == [{"idToken": []}, {"adminKey": []}], name
    for name in "getOperations", "createJob", "createAdminKey", "moderatePost":
        assert by_name[name] == [{"adminKey": []}], name


def test_uploads_are_forms_with_files(description, operations):
    for name in "POST /v1/uploads", "POST /v1/uploads/{id}/photos":
        content = operations[name]["requestBody"]["content"]
        assert set(content) == {"multipart/form-data", "application/octet-stream"}
        assert content["multipart/form-data"]["schema"] == {"$ref": "#/components/schemas/UploadForm"}
    form = description["components"]["schemas"]["UploadForm"]["properties"]
    assert form["photo"]["items"] == {"type": "string", "format": "binary"} and form["photo"]["type"] == "array"
    # Generated clients send fields in this order, and the server needs these before the photos.
    assert list(form).index("photo") > max(list(form).index(field) for field in ("alt", "audiences", "draft"))


def test_the_head_names_the_service(description):
    assert description["openapi"] == "3.1.0"
    info = description["info"]
    assert info["license"] == {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
    assert info["version"] and info["contact"]["name"]
    assert [server["url"] for server in description["servers"]] == ["/"]

"""Features without a call in any library: priorities and the forms of an answer, over REST."""


def test_priorities(rest):
    assert rest("put", "a", json={".value": "x", ".priority": 3}).json() == "x"
    assert rest("put", "b", json={"c": {".value": 1, ".priority": "p"}, ".priority": 2}).status_code == 200
    assert rest("get", "a/.priority").json() == 3
    assert rest("get", "b/c/.priority").json() == "p"
    assert rest("put", "b/.priority", json={".sv": "timestamp"}).json() > 10**12
    assert rest("put", "b/.priority", json=7).json() == 7
    assert rest("get", "", format="export").json() == {
        "a": {".value": "x", ".priority": 3}, "b": {".priority": 7, "c": {".value": 1, ".priority": "p"}}}
    assert rest("get", "").json() == {"a": "x", "b": {"c": 1}}
    assert rest("put", "a/.priority", json=None, data="null").json() is None
    assert rest("get", "a/.priority").json() is None
    assert rest("put", "nowhere/.priority", json=1).status_code == 200
    assert rest("get", "nowhere/.priority").json() is None


def test_a_write_drops_the_priority(rest):
    rest("put", "a", json={".value": 1, ".priority": 3})
    rest("put", "a", json=1)
    assert rest("get", "a/.priority").json() is None


def test_form_of_the_answer(rest):
    rest("put", "a", json={"b": [1, {"c": None}, 2]})
    assert rest("get", "a", print="pretty").text == '{\n  "b": [\n    1,\n    null,\n    2\n  ]\n}'
    assert rest("get", "a", print="silent").status_code == 204
    page = {"Referer": "http://localhost:3000/"}
    assert rest("get", "a", callback="app.show", headers=page).text == '/**/app.show({"b":[1,null,2]});'
    assert rest("get", "a", download="tree.json").headers["Content-Disposition"] == 'attachment; filename="tree.json"'
    assert rest("get", "a", count="true").json() == 1
    assert int(rest("get", "a").headers["Tintype-Token"]) > 0


def test_method_override(rest):
    assert rest("post", "a", json=1, headers={"X-HTTP-Method-Override": "PUT"}).json() == 1
    assert rest("post", "", json={"b": 2}, **{"x-http-method-override": "PATCH"}).json() == {"b": 2}
    assert rest("get", "").json() == {"a": 1, "b": 2}


def test_tools_of_emulators(rest):
    assert rest("put", ".settings/functionTriggers", json={"triggers": []}).json() == {"status": "ok"}
    imported = rest("put", "", json={"x": 1}, disableTriggers="true", writeSizeLimit="unlimited")
    assert imported.status_code == 200

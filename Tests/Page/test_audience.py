"""Tests the choice of who sees a post, in the composer."""

import re

import pytest
from gallery import opened, until
from playwright.sync_api import expect
from service import ROOT, service


@pytest.fixture(scope="module")
def running():
    with service() as running:
        yield running


def audience(running, owner, id, reader):
    running.ask(f"/v1/audiences/{id}", "PUT", {"name": f"Class {id}", "kind": "class", "members": {reader.uid: "reader"}}, owner)


def compose(page, text):
    page.get_by_role("button", name="New post").click()
    page.set_input_files(".composer input[type=file]", ROOT / "Fixtures/photo.jpg")
    page.fill(".composer textarea[name=text]", text)
    return page.get_by_label("Who sees it")


def texts(running, author, reader, preset):
    """The texts of the author's posts that a reader sees, by themselves and through audiences."""
    lists = [f"/v1/people/{reader.uid}/stories", *([] if preset == "classroom" else [f"/v1/people/{author.uid}/posts"])]
    return [post["text"] for path in lists for post in running.ask(path, person=reader)["posts"]]


# The preset, the classes of which somebody is an owner, the options that the composer then shows, the one that is chosen,
# the one that is clicked, and whether the post is for everybody, for a class, or for the author alone.
ROWS = [
    ("public", [], None, None, None, "everybody"),
    ("public", ["p1"], ["Everybody", "Class p1"], "Everybody", None, "everybody"),
    ("members", ["m1"], ["All members", "Class m1"], "All members", "Class m1", "m1"),
    ("classroom", ["c1"], ["Class c1"], "Class c1", None, "c1"),
    ("classroom", ["c2", "c3"], ["Please choose", "Class c2", "Class c3"], "Please choose", "Class c3", "c3"),
    ("classroom", [], None, None, None, "author"),
]


@pytest.mark.parametrize(("preset", "classes", "options", "chosen", "click", "seen"), ROWS)
def test_a_post_is_for_whom_its_author_chooses(browser, running, preset, classes, options, chosen, click, seen):
    running.set_up(preset)
    name = f"{preset} {'and'.join(classes) or 'none'}"
    tea, kid, other = (running.person(f"{role} {name}", f"{role}.{name.replace(' ', '.')}@example.com") for role in ("tea", "kid", "other"))
    for id in classes:
        audience(running, tea, id, kid)
    # A class of which the author is a reader is not offered.
    audience(running, other, f"read{''.join(classes)}{preset}", tea)
    with opened(browser, running, "/", person=tea) as page:
        select = compose(page, name)
        if options is None:
            expect(select).to_have_count(0)
            expect(page.get_by_text("Only you will see it")).to_have_count(1 if seen == "author" else 0)
        else:
            expect(select.locator("option")).to_have_text(options)
            expect(select.locator("option:checked")).to_have_text(chosen)
        if chosen == "Please choose":
            page.click(".composer button[type=submit]")
            expect(select).to_be_focused()
        if click:
            # The photo is sent again if it was sent already.
            expect(page.locator(".composer .photos .state")).to_have_text("Ready")
            select.select_option(click)
        page.click(".composer button[type=submit]")
        expect(page.locator("upload-tray .title")).to_have_text("1 post published")
    for person, sees in (kid, seen != "author"), (other, seen == "everybody"):
        assert texts(running, tea, person, preset).count(name) == sees, person.name


def test_a_choice_that_is_made_while_the_draft_is_reserved_counts(browser, running):
    running.set_up("members")
    tea, kid, other = (running.person(f"{role} late", f"{role}.late@example.com") for role in ("tea", "kid", "other"))
    audience(running, tea, "late", kid)
    with opened(browser, running, "/", person=tea) as page:
        held = []
        page.route(re.compile(r"/v1/uploads\?draft=true$"), lambda route: held.append(route))
        select = compose(page, "late")
        until(page, "the draft for everybody", lambda: held)
        select.select_option("Class late")
        page.click(".composer button[type=submit]")
        expect(page.locator(".composer")).to_have_count(0)
        held[0].continue_()
        expect(page.locator("upload-tray .title")).to_have_text("1 post published")
    assert [texts(running, tea, person, "members") for person in (kid, other)] == [["late"], []]


def test_a_post_for_a_class_to_which_its_author_may_no_longer_post_asks_again(browser, running):
    running.set_up("members")
    tea, kid, head = (running.person(f"{role} again", f"{role}.again@example.com") for role in ("tea", "kid", "head"))
    audience(running, head, "was", tea)
    running.ask(f"/v1/audiences/was/members/{tea.uid}", "PUT", {"role": "poster"}, head)
    audience(running, tea, "own", kid)
    with opened(browser, running, "/", person=tea) as page:
        select = compose(page, "again")
        with page.expect_response(re.compile("audiences=was")):
            select.select_option("Class was")
        expect(page.locator(".composer .photos .state")).to_have_text("Ready")
        running.ask(f"/v1/audiences/was/members/{tea.uid}", "PUT", {"role": "reader"}, head)
        page.reload()
        page.locator("upload-tray .left").get_by_role("button", name="Go on writing").click()
        expect(select.locator("option")).to_have_text(["Please choose", "All members", "Class own"])
        expect(select.locator("option:checked")).to_have_text("Please choose")
        page.fill(".composer textarea[name=text]", "again")
        page.click(".composer button[type=submit]")
        expect(select).to_be_focused()
        select.select_option("Class own")
        page.click(".composer button[type=submit]")
        expect(page.locator("upload-tray .title")).to_have_text("1 post published")
    assert [texts(running, tea, person, "members") for person in (kid, head)] == [["again"], []]


def test_photos_are_taken_while_the_audiences_are_asked_for_and_the_post_waits_for_them(browser, running):
    running.set_up("classroom")
    tea, kid, other = (running.person(f"{role} slow", f"{role}.slow@example.com") for role in ("tea", "kid", "other"))
    audience(running, tea, "slow", kid)
    with opened(browser, running, "/", person=tea) as page:
        held = []
        page.route(re.compile(r"/v1/audiences\?"), lambda route: held.append(route))
        page.get_by_role("button", name="New post").click()
        page.set_input_files(".composer input[type=file]", ROOT / "Fixtures/photo.jpg")
        page.fill(".composer textarea[name=text]", "slow")
        expect(page.locator(".composer .photos .state")).to_have_text("Ready")
        post = page.locator(".composer button[type=submit]")
        expect(post).to_be_disabled()
        until(page, "the question for the audiences", lambda: held)
        for route in held:
            route.continue_()
        expect(page.get_by_label("Who sees it").locator("option:checked")).to_have_text("Class slow")
        post.click()
        expect(page.locator("upload-tray .title")).to_have_text("1 post published")
    assert [texts(running, tea, person, "classroom") for person in (kid, other)] == [["slow"], []]


@pytest.mark.parametrize("preset", ["members", "classroom"])
def test_audiences_that_could_not_be_asked_for_are_asked_for_again(browser, running, preset):
    running.set_up(preset)
    tea, kid, other = (running.person(f"{role} lost {preset}", f"{role}.lost.{preset}@example.com") for role in ("tea", "kid", "other"))
    audience(running, tea, f"lost{preset}", kid)
    asked = re.compile(r"/v1/audiences\?")
    with opened(browser, running, "/", person=tea) as page:
        page.route(asked, lambda route: route.abort())
        page.get_by_role("button", name="New post").click()
        page.fill(".composer textarea[name=text]", "lost")
        expect(page.get_by_text("The service could not be asked in which classes")).to_be_visible()
        expect(page.get_by_text("Only you will see it")).to_have_count(0)
        post, select = page.locator(".composer button[type=submit]"), page.get_by_label("Who sees it")
        if preset == "members":
            # A post for all is one that its author has chosen.
            post.click()
            expect(select).to_be_focused()
            expect(select.locator("option")).to_have_text(["Please choose", "All members"])
        else:
            expect(post).to_be_disabled()
        page.unroute(asked)
        page.get_by_role("button", name="Ask again").click()
        expect(select.locator("option").last).to_have_text(f"Class lost{preset}")
        select.select_option(f"Class lost{preset}")
        post.click()
        expect(page.locator("upload-tray .title")).to_have_text("1 post published")
    assert [texts(running, tea, person, preset) for person in (kid, other)] == [["lost"], []]

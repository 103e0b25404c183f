"""Tests the views of the gallery: without an account, for new members, and for others."""

import json
import os
import subprocess

from gallery import opened
from playwright.sync_api import expect
from service import PASSWORD, ROOT


def test_what_is_for_members_shows_the_form_for_signing_in(browser, running):
    anna = running.person("Anna Öberg")
    post = running.publish("For members #lake")
    running.owner("/.settings/rules.json", "-X", "PUT", "-d", json.dumps(
        {"rules": {".read": "auth != null", ".write": "auth != null"}}))
    for path in ("/", "/people/maria", "/tags/lake", f"/posts/{post}", "/search?q=maria", "/all"):
        with opened(browser, running, path) as page:
            panel = page.get_by_role("main").get_by_role("tabpanel")
            expect(panel.get_by_label("E-mail address")).to_be_visible()
            expect(page.get_by_text("Permission denied")).to_have_count(0)
            if path != "/all":
                continue
            panel.get_by_label("E-mail address").fill(anna.email)
            panel.get_by_label("Password").fill(PASSWORD)
            panel.get_by_label("Password").press("Enter")
            expect(page.locator("post-feed article")).to_contain_text("For members")
            expect(panel).to_have_count(0)


def closed(running, preset="members"):
    """Sets a preset, as the owner does."""
    done = subprocess.run(
        [os.environ["TINTYPE"], "rules", "set", "--preset", preset, "--storage", f"{running.folder}/Storage"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def sign_in(page, person):
    panel = page.get_by_role("main").get_by_role("tabpanel")
    panel.get_by_label("E-mail address").fill(person.email)
    panel.get_by_label("Password").fill(PASSWORD)
    panel.get_by_label("Password").press("Enter")


def test_a_closed_service_asks_strangers_to_sign_in_and_then_shows_what_they_wanted(browser, running):
    anna = running.person("Anna Öberg")
    post = running.post(anna, "Only for us #lake")
    closed(running)
    phone = {"viewport": {"width": 390, "height": 844}}
    for path in (f"/posts/{post}", "/tags/lake?from=mail", "/", "/search?q=anna"):
        with opened(browser, running, path, **phone) as page:
            expect(page.get_by_role("heading", level=1)).to_have_text("Tintype")
            expect(page.get_by_text("This is for members.")).to_be_visible()
            expect(page.get_by_text("Only for us")).to_have_count(0)
            expect(page.locator("#top nav")).to_be_hidden()
            email = page.get_by_role("main").get_by_role("tabpanel").get_by_label("E-mail address")
            expect(email).to_have_attribute("autocomplete", "username")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            sign_in(page, anna)
            expect(page.locator("#top nav")).to_be_visible()
            expect(page.get_by_text("This is for members.")).to_have_count(0)
            if path != "/search?q=anna":
                expect(page.get_by_role("main")).to_contain_text("Only for us")
            assert page.evaluate("location.pathname + location.search") == path


def test_a_member_who_follows_a_link_in_a_closed_service_sees_the_post(browser, running):
    anna, maria = running.person("Anna Öberg"), running.person("Maria Lind")
    post = running.post(maria, "Only for us")
    closed(running)
    with opened(browser, running, f"/posts/{post}", person=anna) as page:
        expect(page.get_by_role("main")).to_contain_text("Only for us")
        expect(page.get_by_text("This is for members.")).to_have_count(0)
        page.locator("#tools .account").click()
        page.get_by_role("menuitem", name="Sign out").click()
        expect(page.get_by_text("This is for members.")).to_be_visible()
        expect(page.get_by_text("Only for us")).to_have_count(0)
    with opened(browser, running, "/no/such/page", person=anna) as page:
        expect(page.get_by_text("Nothing here")).to_be_visible()


def test_a_closed_page_without_scripts_says_what_is_missing(browser, running):
    closed(running)
    with opened(browser, running, "/people/maria", java_script_enabled=False) as page:
        assert "Scripts are needed to sign in." in page.get_by_role("main").inner_text()
    with opened(browser, running, "/people/maria", locale="de-DE") as page:
        expect(page.get_by_text("Das hier ist für Mitglieder.")).to_be_visible()


def test_the_home_in_a_classroom_shows_the_posts_of_ones_classes(browser, running):
    olga, paul, otto = running.person("Olga Berg"), running.person("Paul Wolf"), running.person("Otto Hahn")
    closed(running, "classroom")
    running.ask("/v1/audiences/c", "PUT", {"name": "7b", "kind": "class", "members": {paul.uid: "reader"}}, olga)
    photo = (ROOT / "Fixtures/photo.jpg").read_bytes()
    running.ask("/v1/uploads?text=Tomorrow&audiences=c", body=photo, person=olga)
    with opened(browser, running, "/", person=paul) as page:
        expect(page.locator("post-feed article")).to_contain_text("Olga Berg")
    with opened(browser, running, "/", person=otto) as page:
        expect(page.get_by_text("No posts yet")).to_be_visible()


def test_the_home_of_somebody_who_follows_nobody_shows_everything(browser, running):
    anna, maria = running.person("Anna Öberg"), running.person("Maria Lind")
    running.publish("by a stranger", user="stranger")
    with opened(browser, running, "/", person=anna) as page:
        expect(page.get_by_text("You follow nobody yet")).to_be_visible()
        expect(page.locator("post-feed article")).to_have_count(1)
        expect(page.locator(".live")).to_have_text("live")
        running.publish("by another", user="another")
        expect(page.locator("post-feed article")).to_have_count(2)
    running.ask(f"/v1/people/{anna.uid}/following/{maria.uid}", "PUT", person=anna)
    running.post(maria, "by somebody who is followed")
    with opened(browser, running, "/", person=anna) as page:
        expect(page.locator("post-feed article")).to_have_count(1)
        expect(page.get_by_text("You follow nobody yet")).to_have_count(0)


def test_the_first_member_is_shown_how_to_begin(browser, running):
    anna, maria = running.person("Anna Öberg"), running.person("Maria Lind")
    closed(running)
    with opened(browser, running, "/", person=anna) as page:
        box = page.locator("#empty")
        expect(box.get_by_text("Nobody has posted in Tintype yet. Begin with a photo of yours.")).to_be_visible()
        expect(page.get_by_text("You follow nobody yet")).to_be_hidden()
        expect(page.locator("pre")).to_have_count(0)
        # Others are there, and oneself is not among them.
        expect(box.locator(".person-row")).to_have_count(1)
        box.get_by_role("button", name="Follow Maria Lind").click()
        expect(box.get_by_role("button", name="Following Maria Lind: press to stop")).to_be_visible()
        # Only who may invite others is offered that.
        expect(box.get_by_role("link", name="Invitations")).to_have_count(0)
        box.get_by_role("button", name="Post the first photo").click()
        page.set_input_files(".composer input[type=file]", ROOT / "Fixtures/photo.jpg")
        page.fill(".composer textarea[name=text]", "the first")
        page.click(".composer button[type=submit]")
        expect(page.locator("upload-tray .title")).to_have_text("1 post published")
    with opened(browser, running, "/", person=maria) as page:
        expect(page.locator("post-feed article")).to_have_count(1)
        expect(page.get_by_text("You follow nobody yet")).to_be_visible()


def test_nobody_is_promised_a_message_that_cannot_be_sent(browser, running):
    with opened(browser, running, "/all") as page:
        page.locator("#tools .account").click()
        panel = page.get_by_role("dialog").get_by_role("tabpanel")
        panel.get_by_role("button", name="Forgot your password?").click()
        expect(panel.get_by_text("This service cannot send messages.")).to_be_focused()
        expect(panel.get_by_label("E-mail address")).to_have_count(0)
        panel.get_by_role("button", name="Back to signing in").click()
        expect(panel.get_by_label("E-mail address")).to_be_focused()

"""Tests the first setup in a browser: from the first page to the first photo of the new admin."""

import os
import re

import pytest
from gallery import opened, until
from playwright.sync_api import expect
from service import PASSWORD, ROOT

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def newcomer(running):
    """Returns the address that a newcomer opens: the first page or, where root and not a person runs the browser, the
    link of the log."""
    if 1000 <= os.geteuid() <= 60513:
        return "/"
    return f"/setup#{code(running)}"


def code(running):
    return re.search(r"first run: \S+/setup#(\S+)", running.said())[1]


def test_a_newcomer_sets_the_service_up_on_a_phone_and_posts_a_photo(browser, running):
    with opened(browser, running, newcomer(running), **PHONE) as page:
        expect(page.get_by_role("heading", name="Set up this service")).to_be_focused()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        form = page.get_by_role("main").locator("form")
        expect(form.get_by_role("radio", name="Members.")).to_be_checked()
        expect(form.get_by_role("radio", name="People with an invitation.")).to_be_checked()
        form.get_by_role("button", name="Set up").click()
        expect(form.get_by_role("textbox", name="E-mail address")).to_be_focused()
        form.get_by_role("textbox", name="Name").fill("x" * 61)
        form.get_by_role("button", name="Set up").click()
        expect(form.get_by_text("This name is too long: at most 60 characters.")).to_be_visible()
        form.get_by_role("textbox", name="Name").fill("Rowing Club")
        form.get_by_role("textbox", name="E-mail address").fill("ann@example.com")
        form.locator("input[type=password]").fill(PASSWORD)
        form.locator("input[type=password]").press("Enter")
        expect(page.get_by_role("heading", name="Rowing Club is set up")).to_be_visible()
        # The answers are in force already.
        refused = running.ask("/identitytoolkit.googleapis.com/v1/accounts:signUp?key=test", body={
            "email": "eve@example.com", "password": PASSWORD}, status=400)
        assert "invitation" in refused["error"]["message"], refused
        page.get_by_role("link", name="To the first photo").click()
        expect(page.locator("#tools .account")).to_be_visible()
        expect(page.locator(".brand")).to_have_text("Rowing Club")
        page.get_by_role("button", name="New post").click()
        page.set_input_files(".composer input[type=file]", ROOT / "Fixtures/photo.jpg")
        page.click(".composer button[type=submit]")
        expect(page.locator("post-feed article")).to_have_count(1)
    with opened(browser, running, "/setup") as page:
        expect(page.get_by_text("This is for members.")).to_be_visible()


@pytest.mark.parametrize("is_reached", [True, False])
def test_the_first_photo_is_offered_once_the_new_admin_is_signed_in(browser, running, is_reached):
    with opened(browser, running, f"/setup#{code(running)}", **PHONE) as page:
        held = []
        page.route("**/accounts:signInWithPassword*", lambda route: held.append(route))
        form = page.get_by_role("main").locator("form")
        form.get_by_role("textbox", name="E-mail address").fill("ann@example.com")
        form.locator("input[type=password]").fill(PASSWORD)
        form.locator("input[type=password]").press("Enter")
        until(page, "the sign-in", lambda: held)
        link = page.get_by_role("link", name="To the first photo")
        assert link.count() == 0
        if is_reached:
            held[0].continue_()
            link.click()
            expect(page.locator("#tools .account")).to_have_accessible_name(re.compile("^Account of"))
        else:
            held[0].abort()
            expect(page.get_by_text("cannot be reached")).to_be_visible()
            link.click()
            expect(page.get_by_text("This is for members.")).to_be_visible()


def test_a_session_is_stored_before_the_person_is_read(browser, running):
    running.set_up()
    ann = running.person("Ann")
    with opened(browser, running, "/") as page:
        held = []
        page.route(f"**/v1/people/{ann.uid}", lambda route: route.continue_() if held else held.append(route))
        page.locator("#tools .account").click()
        form = page.locator("dialog form").first
        form.get_by_role("textbox", name="E-mail address").fill(ann.email)
        form.locator("input[type=password]").fill(PASSWORD)
        form.locator("input[type=password]").press("Enter")
        until(page, "the request for the person", lambda: held)
        assert page.evaluate("localStorage['tintype.session'] !== undefined")
        page.reload()
        expect(page.locator("#tools .account")).to_have_accessible_name(re.compile("^Account of"))


def test_the_code_of_the_log_sets_up_and_does_not_stay_in_the_address(browser, running):
    elsewhere = {"X-Forwarded-For": "203.0.113.9"}
    with opened(browser, running, "/setup", extra_http_headers=elsewhere) as page:
        expect(page.get_by_text("Open the link that its log shows")).to_be_visible()
    with opened(browser, running, f"/setup#{code(running)}", locale="de-DE", extra_http_headers=elsewhere) as page:
        expect(page.get_by_role("heading", name="Diesen Dienst einrichten")).to_be_visible()
        expect(page).to_have_url(f"{running.url}/setup")

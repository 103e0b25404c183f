"""Tests the views of the gallery: without an account, for new members, and for others."""

import json

from gallery import opened
from playwright.sync_api import expect
from service import PASSWORD


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


def test_nobody_is_promised_a_message_that_cannot_be_sent(browser, running):
    with opened(browser, running, "/all") as page:
        page.locator("#tools .account").click()
        panel = page.get_by_role("dialog").get_by_role("tabpanel")
        panel.get_by_role("button", name="Forgot your password?").click()
        expect(panel.get_by_text("This service cannot send messages.")).to_be_focused()
        expect(panel.get_by_label("E-mail address")).to_have_count(0)
        panel.get_by_role("button", name="Back to signing in").click()
        expect(panel.get_by_label("E-mail address")).to_be_focused()

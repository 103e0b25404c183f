"""Tests notifications: they arrive live, likes of one post together, and are marked as read."""

from gallery import HOSTILE, opened, until
from playwright.sync_api import expect


def test_notifications_come_live_and_are_read(browser, running):
    ann, bob = running.person("Ann"), running.person(HOSTILE, "bob@example.com")
    post = running.post(ann, "At the lake")
    with opened(browser, running, "/notifications", ann) as page:
        badge = page.locator("#tools .bell .badge")
        expect(page.get_by_text("Nothing has happened yet.")).to_be_visible()
        expect(badge).to_be_hidden()
        running.ask(f"/v1/people/{bob.uid}/following/{ann.uid}", "PUT", person=bob)
        rows = page.locator(".notice")
        expect(rows).to_have_count(1)
        expect(badge).to_have_text("1")
        running.ask(f"/v1/posts/{post}/comments", body={"text": HOSTILE}, person=bob)
        running.ask(f"/v1/posts/{post}/likes/{bob.uid}", "PUT", person=bob)
        expect(rows).to_have_count(3)
        expect(badge).to_have_text("3")
        expect(rows.nth(0)).to_contain_text(f"{HOSTILE} likes your post.")
        expect(rows.nth(1).locator(".quoted")).to_have_text(HOSTILE)
        assert rows.nth(1).get_by_role("link").get_attribute("href") == f"/posts/{post}#comments"
        assert rows.nth(2).get_by_role("link").get_attribute("href") == f"/people/{bob.uid}"
        page.get_by_role("button", name="Mark all as read").click()
        expect(page.locator(".notice.unread")).to_have_count(0)
        expect(badge).to_be_hidden()
        until(page, "that they are read", lambda: running.ask(f"/v1/people/{ann.uid}/notifications", person=ann)["unread"] == 0)
        # After a kill and a restart it listens again.
        running.kill()
        running.start()
        running.ask(f"/v1/posts/{post}/comments", body={"text": "again"}, person=bob)
        expect(rows).to_have_count(4)
        expect(badge).to_have_text("1")


def test_likes_of_one_post_are_one_notification(browser, running):
    ann, *others = [running.person(name) for name in ["Ann", "Bob", "Cat", "Dan", "Eve"]]
    post = running.post(ann, "At the lake")

    def like(person):
        running.ask(f"/v1/posts/{post}/likes/{person.uid}", "PUT", person=person)

    running.ask(f"/v1/posts/{post}/comments", body={"text": "first"}, person=others[0])
    with opened(browser, running, "/notifications", ann) as page:
        rows, sentence = page.locator(".notice"), page.locator(".notice .sentence").first
        expect(rows).to_have_count(1)
        for person, words in zip(others, [
            "Bob likes your post.", "Cat and Bob like your post.", "Dan, Cat and 1 other like your post.",
            "Eve, Dan and 2 others like your post.",
        ]):
            like(person)
            expect(sentence).to_have_text(f"New: {words}")
            expect(rows).to_have_count(2)
        expect(page.locator("#tools .bell .badge")).to_have_text("5")
        # Reading an entry marks all its notifications as read.
        rows.first.get_by_role("link").click()
        until(page, "that the likes are read", lambda: running.ask(f"/v1/people/{ann.uid}/notifications", person=ann)["unread"] == 1)

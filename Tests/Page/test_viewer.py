"""Tests one photo, large: by keys, by buttons and by fingers, through the whole list, and at its own address."""

from gallery import opened, seeded, until, wait
from playwright.sync_api import expect
from service import service

PHOTO = "post-feed article a.photo"


def shown(page):
    return page.evaluate("location.pathname.split('/')[2]")


def test_a_photo_opens_and_closes_by_the_keyboard_and_has_a_description(browser):
    """40: by keys."""
    alt = 'Two <b>children</b> on a "jetty"'
    with service() as running:
        running.publish("", "photo.jpg")
        described = running.publish("Summer", "photo.jpg", alt=alt)
        with opened(browser, running, "/") as page:
            expect(page.locator(f"{PHOTO} img").nth(0)).to_have_attribute("alt", alt)
            expect(page.locator(f"{PHOTO} img").nth(1)).to_have_attribute("alt", "Photo 1 by maria")
            page.locator(PHOTO).first.focus()
            page.keyboard.press("Enter")
            dialog = page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            wait(page, "document.querySelector('.stage img')?.naturalWidth >= 1000")
            expect(dialog.get_by_role("img", name=alt)).to_be_visible()
            assert shown(page) == described
            # The focus stays in the dialog.
            for _ in range(20):
                page.keyboard.press("Tab")
                assert page.evaluate("document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)")
            page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
            wait(page, f"document.activeElement === document.querySelector('{PHOTO}')")
            assert page.evaluate("location.pathname") == "/"


def test_next_and_previous_lead_through_the_whole_list(browser):
    with service() as running:
        ids = seeded(running, 70)[::-1]
        with opened(browser, running, "/all") as page:
            page.locator(PHOTO).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            for id in ids:
                until(page, id, lambda: shown(page) == id)
                page.keyboard.press("ArrowRight")
            expect(page.get_by_text("This is the last photo.")).to_have_count(1)
            assert shown(page) == ids[-1]
            page.get_by_role("button", name="Previous photo").click()
            until(page, "the one before", lambda: shown(page) == ids[-2])
            # The list has scrolled to the photo of the viewer.
            page.get_by_role("dialog").get_by_role("button", name="Close").click()
            wait(page, f"document.activeElement.closest('article')?.dataset.id === '{ids[-2]}'")
            box = page.evaluate("(({ top, bottom }) => [top, bottom, innerHeight])(document.activeElement.getBoundingClientRect())")
            assert box[0] >= 0 and box[1] <= box[2] + 1, box


def test_photos_of_one_post_come_one_after_the_other(browser):
    with service() as running:
        fixtures = ["photo.jpg", "rotation-6.jpg", "profile-p3.jpg"]
        last = running.publish("last", "photo.jpg")
        several = running.publish("three", *fixtures)
        with opened(browser, running, "/") as page:
            page.locator(PHOTO).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            for number in (1, 2, 3):
                expect(page.get_by_text(f"{number} of 3")).to_be_visible()
                assert shown(page) == several
                page.keyboard.press("ArrowRight")
            until(page, "the other post", lambda: shown(page) == last)
            page.keyboard.press("ArrowLeft")
            expect(page.get_by_text("3 of 3")).to_be_visible()


def test_an_address_of_a_post_can_be_shared_and_loaded_again(browser):
    with service() as running:
        running.publish("other")
        post = running.publish("At the lake #summer", "photo.jpg")
        with opened(browser, running, "/") as page:
            page.locator(PHOTO).first.click()
            until(page, "the address", lambda: shown(page) == post)
            page.reload()
            expect(page.locator("article.single")).to_contain_text("At the lake")
            assert page.title().startswith("At the lake")
            page.get_by_role("link", name="#summer").click()
            expect(page.get_by_role("heading", name="#summer")).to_be_visible()
            expect(page.locator("post-feed article")).to_have_count(1)
            page.go_back()
            expect(page.locator("article.single")).to_be_visible()
        with opened(browser, running, f"/posts/{post[:-1]}x") as page:
            expect(page.get_by_role("heading", name="There is no such post")).to_be_visible()


def test_a_finger_swipes_and_two_enlarge(browser):
    with service() as running:
        older, newer = running.publish("older", "photo.jpg"), running.publish("newer", "photo.jpg")
        with opened(browser, running, "/", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as page:
            page.locator(PHOTO).first.tap()
            wait(page, "document.querySelector('.stage img')?.naturalWidth > 1")
            touches = page.context.new_cdp_session(page)

            def touch(kind, *points):
                touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
                    {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})

            touch("touchStart", (140, 300), (240, 300))
            for step in range(1, 6):
                touch("touchMove", (140 - 12 * step, 300), (240 + 12 * step, 300))
            touch("touchEnd")
            assert page.evaluate("new DOMMatrix(getComputedStyle(document.querySelector('.stage > *')).transform).a") > 1.5
            page.keyboard.press("0")
            assert shown(page) == newer
            touch("touchStart", (320, 300))
            for step in range(1, 6):
                touch("touchMove", (320 - 40 * step, 302))
            touch("touchEnd")
            until(page, "the next one", lambda: shown(page) == older)
            touch("touchStart", (200, 200))
            for step in range(1, 6):
                touch("touchMove", (201, 200 + 40 * step))
            touch("touchEnd")
            expect(page.get_by_role("dialog")).to_be_hidden()

"""Tests the looks of the pages, and whether everybody can use them: pictures, accessibility, zoom, right to left, no scripts."""

import json
import os
import pathlib

import numpy
import pytest
from axe_playwright_python.sync_playwright import Axe
from gallery import opened, seeded, wait
from PIL import Image
from playwright.sync_api import expect
from service import ROOT, service

PICTURES = pathlib.Path(__file__).parent / "pictures"
SHOWN = ROOT / ".build/page-pictures"
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
CARDS = "post-feed article"
HOSTILE = '<img src=x onerror="document.title=\'owned\'"> \u202eevil\u202c {{text}} ' + "w" * 300


@pytest.fixture(scope="module")
def people():
    """A service with a few people, photos and comments."""
    with service() as running:
        maria, anna = running.person("Maria Lind"), running.person("Anna Öberg")
        running.ids = seeded(running, 60)
        post = running.post(anna, "The rock that looks like a ship #lake #summer")
        running.ask(f"/v1/posts/{post}/comments", "POST", {"text": "What a place!"}, maria)
        running.ask(f"/v1/posts/{post}/likes/{maria.uid}", "PUT", person=maria)
        running.post(maria, "Morning")
        running.ask(f"/v1/people/{maria.uid}/following/{anna.uid}", "PUT", person=maria)
        running.maria, running.anna, running.shown = maria, anna, post
        yield running


def settled(page):
    """Waits until everything on the screen has arrived, including the pages that are read ahead."""
    if page.locator("post-feed").count():
        wait(page, """() => {
            const feed = document.querySelector("post-feed");
            const foot = feed.querySelector(".foot");
            return document.body.dataset.live === "live" && foot && feed.querySelector(".list").ariaBusy === "false"
                && (!feed.hasMore || foot.getBoundingClientRect().top > 3 * innerHeight);
        }""")
    wait(page, """() => [...document.images].every((image) => {
        const { top, bottom } = image.getBoundingClientRect();
        return bottom <= 0 || top >= innerHeight || (image.complete && image.currentSrc !== "");
    })""")
    at_rest(page)


def at_rest(page):
    """Waits until everything has its looks, and no animation runs."""
    wait(page, "[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet)")
    page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})))")


def compare(page, name):
    """Compares the page with the committed picture. TINTYPE_PICTURES=write creates the pictures again."""
    settled(page)
    SHOWN.mkdir(parents=True, exist_ok=True)
    taken = SHOWN / f"{name}.png"
    page.wait_for_selector(".tool.account")
    # Texts that differ each time.
    page.evaluate("for (const time of document.querySelectorAll('time')) time.textContent = 'now'")
    page.screenshot(path=taken, animations="disabled", caret="hide")
    image = Image.open(taken).convert("RGB")
    known = PICTURES / f"{name}.webp"
    if os.environ.get("TINTYPE_PICTURES") == "write":
        known.parent.mkdir(exist_ok=True)
        image.save(known, quality=60, method=6)
        return
    wanted = Image.open(known).convert("RGB")
    assert image.size == wanted.size, f"{name}: {image.size}, not {wanted.size}; see {taken}"
    # Blocks of eight pixels, whose mean the edges of letters do not change.
    size = (image.width // 8, image.height // 8)
    blocks = [numpy.asarray(picture.resize(size, Image.Resampling.BOX), dtype=int) for picture in (image, wanted)]
    wrong = (abs(blocks[0] - blocks[1]).max(axis=2) > 32).mean()
    if wrong > 0.01:
        pair = Image.new("RGB", (image.width * 2, image.height))
        pair.paste(wanted, (0, 0))
        pair.paste(image, (image.width, 0))
        pair.save(SHOWN / f"{name}-compared.png")
    compared = SHOWN / f"{name}-compared.png"
    assert wrong <= 0.01, f"{name}: {wrong:.1%} of the picture differ; see {compared}, and if it is right, run with TINTYPE_PICTURES=write"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", SIZES)
def test_the_list_looks_as_it_did(browser, people, device, scheme):
    width, height = SIZES[device]
    with opened(browser, people, "/all", viewport={"width": width, "height": height}, color_scheme=scheme) as page:
        page.wait_for_selector(CARDS)
        compare(page, f"list-{device}-{scheme}")


@pytest.mark.parametrize("device", SIZES)
def test_the_viewer_looks_as_it_did(browser, people, device):
    width, height = SIZES[device]
    with opened(browser, people, "/all", viewport={"width": width, "height": height}) as page:
        page.locator(f"{CARDS}[data-id='{people.shown}'] a.photo").first.click()
        expect(page.get_by_text("What a place!")).to_be_visible()
        compare(page, f"viewer-{device}")


def test_a_service_without_posts_looks_as_it_did(browser):
    with service() as running:
        running.set_up()
        with opened(browser, running, "/", viewport={"width": 820, "height": 900}) as page:
            expect(page.locator("#empty")).to_be_visible()
            compare(page, "empty")


def test_three_posts_look_as_they_did(browser):
    with service() as running:
        for photo in ("photo.jpg", "rotation-6.jpg", "profile-p3.jpg"):
            running.publish("Three", photo)
        with opened(browser, running, "/", viewport={"width": 1440, "height": 900}) as page:
            page.wait_for_selector(CARDS)
            compare(page, "three")


# Views in which no accessibility problem may be found, and the actions that open them.
VIEWS = {
    "list": "/all", "home": "/", "person": "/people/{anna}", "tag": "/tags/lake", "post": "/posts/{shown}", "search": "/search?q=anna",
    "notifications": "/notifications", "missing": "/posts/-Missing000000000000",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_an_accessibility_checker_finds_nothing(browser, people, view, scheme):
    """40: dark and light."""
    path = VIEWS[view].format(anna=people.anna.uid, shown=people.shown)
    with opened(browser, people, path, people.maria, color_scheme=scheme, bypass_csp=True) as page:
        page.wait_for_selector("#main .view")
        page.wait_for_selector(".tool.account")
        settled(page)
        check(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing_in_what_opens(browser, people, scheme):
    with opened(browser, people, "/all", people.maria, color_scheme=scheme, bypass_csp=True) as page:
        page.locator(f"{CARDS}[data-id='{people.shown}'] a.photo").first.click()
        expect(page.get_by_text("What a place!")).to_be_visible()
        settled(page)
        check(page)
        page.keyboard.press("Escape")
        page.locator(".tool.account").click()
        expect(page.get_by_role("menu")).to_be_visible()
        check(page)
        page.keyboard.press("Escape")
        page.locator(".tool.upload").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        check(page)
    with opened(browser, people, "/all", color_scheme=scheme, bypass_csp=True) as page:
        page.locator(".tool.account").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        check(page)


def test_the_accessibility_checker_finds_what_is_wrong(browser, people):
    with opened(browser, people, "/all", bypass_csp=True) as page:
        page.wait_for_selector(CARDS)
        page.evaluate("document.querySelector('main').append(new Image())")
        with pytest.raises(AssertionError, match="image-alt"):
            check(page)


def check(page):
    at_rest(page)
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
    faults = [(violation["id"], violation["help"], [node["html"][:200] for node in violation["nodes"]][:3])
              for violation in found.response["violations"]]
    assert faults == [], json.dumps(faults, indent=1)


@pytest.mark.parametrize("path", ["/all", "/people/{anna}", "/posts/{shown}", "/search?q=anna", "/notifications"])
def test_nothing_is_cut_off_when_it_is_enlarged_or_runs_from_right_to_left(browser, people, path):
    path = path.format(anna=people.anna.uid, shown=people.shown)
    # A window of 640 pixels that is enlarged twice (WCAG 1.4.10), and right to left.
    for width, direction in ((320, "ltr"), (390, "rtl"), (1280, "rtl")):
        with opened(browser, people, path, people.maria, viewport={"width": width, "height": 800},
                    script=f"document.addEventListener('DOMContentLoaded', () => {{ document.documentElement.dir = '{direction}'; }});") as page:
            page.wait_for_selector("#main .view")
            settled(page)
            wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide[0] <= wide[1], (width, direction, wide)


def test_nothing_moves_for_whoever_wants_less_motion(browser, people):
    with opened(browser, people, "/all", reduced_motion="reduce") as page:
        page.wait_for_selector(CARDS)
        page.locator(f"{CARDS} a.photo").first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        longest = page.evaluate("""Math.max(0, ...[...document.querySelectorAll("*")].map((element) => {
            const { transitionDuration, animationDuration } = getComputedStyle(element);
            return Math.max(Number.parseFloat(transitionDuration), Number.parseFloat(animationDuration));
        }))""")
        assert longest < 0.01


def test_a_screen_reader_meets_the_posts_in_their_order(browser, people):
    with opened(browser, people, "/all") as page:
        page.wait_for_selector(CARDS)
        tree = page.locator("body").aria_snapshot()
        for wanted in ("- main:", "- feed \"Everything\"", "article \"Maria Lind: Photo 1 by Maria Lind, ", "- searchbox", "- link \"Skip to the posts\""):
            assert wanted in tree, tree[:3000]
        assert page.locator(CARDS).first.get_attribute("aria-posinset") == "1"
        # The first stop of the keyboard leads past the head.
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the posts")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('article')?.ariaPosInSet") == "1"
        page.keyboard.press("PageDown")
        wait(page, "document.activeElement.ariaPosInSet === '2'")
        page.keyboard.press("PageUp")
        wait(page, "document.activeElement.ariaPosInSet === '1'")


def test_the_pages_speak_german(browser, people):
    with opened(browser, people, "/all", locale="de-DE") as page:
        expect(page.get_by_role("link", name="Zu den Beiträgen springen")).to_have_count(1)
        expect(page.get_by_role("link", name="Alles")).to_be_visible()
        assert page.evaluate("document.documentElement.lang") == "de"


def test_without_scripts_everything_can_be_read(browser, people):
    with opened(browser, people, "/all", java_script_enabled=False, viewport={"width": 390, "height": 844}) as page:
        seen = []
        while True:
            items = page.locator("#posts > li")
            seen += [item.get_attribute("data-id") for item in items.all()]
            assert page.locator("#posts img").first.is_visible()
            later = page.get_by_role("link", name="Earlier posts")
            if later.count() == 0:
                break
            later.click()
        assert len(seen) == len(set(seen)) == 62
        page.goto(f"/posts/{people.shown}")
        expect(page.get_by_text("What a place!")).to_be_visible()
        page.get_by_role("link", name="#lake").click()
        expect(page.get_by_role("heading", name="#lake")).to_be_visible()
        page.goto("/search?q=anna")
        expect(page.get_by_role("link", name="Anna Öberg")).to_be_visible()


def test_without_scripts_comments_stand_below_their_post(browser, people):
    with opened(browser, people, f"/posts/{people.shown}", java_script_enabled=False, viewport={"width": 390, "height": 844}) as page:
        parts = ("#posts > li", "#comments-title", "section.comments li")
        boxes = [page.locator(part).first.bounding_box() for part in parts]
        for part, box in zip(parts, boxes):
            assert 0 <= box["x"] and box["x"] + box["width"] <= 390, f"{part}: {box}"
        for above, below in zip(boxes, boxes[1:]):
            assert above["y"] + above["height"] <= below["y"] + 1, f"{above}, {below}"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_profile_begins_where_its_posts_do(browser, scripts):
    with service() as running:
        running.publish("words")
        running.owner("/people/maria/full_name.json", "-X", "PUT", "-d", json.dumps("محمد عبد الله"))
        with opened(browser, running, "/people/maria", java_script_enabled=scripts, viewport={"width": 390, "height": 844}) as page:
            author = page.locator(f"{CARDS} .author" if scripts else "#posts .author").first
            expect(author).to_be_visible()
            name = page.locator(".heading h1").bounding_box()
            if not scripts:
                assert name["x"] == author.bounding_box()["x"] == 16
                return
            avatar = page.locator("person-header .avatar").bounding_box()
            button = page.locator("person-header .acts button").first.bounding_box()
            assert avatar["x"] == button["x"] == author.bounding_box()["x"] == 16
            # A name that is written from right to left is beside its picture, too.
            assert 0 < name["x"] - avatar["x"] - avatar["width"] < 24


@pytest.mark.parametrize("path, heading", [("/notifications", ".notices-head h1"), ("/search?q=ann", ".view.search h1")])
def test_a_heading_begins_where_the_service_does(browser, running, path, heading):
    with opened(browser, running, path, running.person("Ann"), viewport={"width": 390, "height": 844}) as page:
        expect(page.locator(heading)).to_be_visible()
        assert page.locator(heading).bounding_box()["x"] == page.locator("#top a").first.bounding_box()["x"] == 16


def test_hostile_texts_are_only_texts(browser):
    with service() as running:
        running.publish(HOSTILE, "photo.jpg", alt=HOSTILE)
        running.publish(HOSTILE)
        running.owner("/people/maria/full_name.json", "-X", "PUT", "-d", json.dumps(HOSTILE[:190]))
        until_renamed = "/v1/posts?limit=1"
        for path in ("/", "/all", "/people/maria", "/search?q=%3Cimg"):
            for scripts in (True, False):
                with opened(browser, running, path, java_script_enabled=scripts, viewport={"width": 390, "height": 844}) as page:
                    page.wait_for_load_state("networkidle") if not scripts else page.wait_for_selector("#main .view")
                    if scripts:
                        settled(page)
                    assert page.title() != "owned"
                    assert page.locator("img[src='x'], img[onerror]").count() == 0
                    if scripts:
                        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert running.owner(until_renamed)["posts"]

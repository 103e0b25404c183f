"""Tests the first page on a slow phone: the order and the size of its parts. The network is slow; no check depends on how slow."""

import pytest
from gallery import opened, until
from playwright.sync_api import expect
from service import service

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 3, "is_mobile": True, "has_touch": True}
CARDS = "post-feed article"

# Records the parts in the order of their first frames, and the number of later frames without either list.
WATCH = """
window.watched = { order: [], bare: 0 };
const parts = {
    list: () => document.querySelector("#posts li"),
    looks: () => document.querySelector("#posts li") && getComputedStyle(document.querySelector("#posts")).listStyleType === "none",
    cards: () => document.querySelector("post-feed article"),
    tools: () => document.querySelector("#tools .account"),
};
(function look() {
    for (const [name, isThere] of Object.entries(parts)) if (!watched.order.includes(name) && isThere()) watched.order.push(name);
    if (watched.order.length > 0 && !parts.list() && !parts.cards()) watched.bare += 1;
    requestAnimationFrame(look);
})();
"""

# The bytes of the photos that have arrived; and of each photo of the list, whether it is on the screen and has arrived.
PHOTOS = """() => ({
    bytes: performance.getEntriesByType("resource").filter(({ initiatorType }) => initiatorType === "img")
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    shown: [...document.querySelectorAll("post-feed .photo-frame")].map((frame) => {
        const { top, bottom } = frame.getBoundingClientRect();
        return { isNear: bottom > 0 && top < innerHeight, isLoaded: frame.classList.contains("loaded"), address: frame.firstChild.currentSrc };
    }),
})"""


@pytest.fixture(scope="module")
def running():
    """A service whose list would be a megabyte of photos in their largest sizes."""
    with service() as running:
        for number in range(12):
            running.publish(f"Number {number}", "photo.jpg")
        yield running


def on_slow_phone(browser, running, script=None):
    return opened(browser, running, "about:blank", script=script, **PHONE)


def slow_down(page):
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 300, "downloadThroughput": 100_000, "uploadThroughput": 100_000, "connectionType": "cellular3g"})


def test_the_list_comes_first_then_the_scripts_and_photos_when_they_are_seen(browser, running):
    """40: a list with its final looks, then the scripts, then the visible photos."""
    with on_slow_phone(browser, running, WATCH) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url.removeprefix(running.url)))
        slow_down(page)
        page.goto("/all", wait_until="commit")
        expect(page.locator("#tools .account")).to_be_visible()
        watched = page.evaluate("watched")
        assert watched == {"order": ["list", "looks", "cards", "tools"], "bare": 0}

        # Scripts are loaded in two files, before the photos: at most two photos are requested before the tools.
        scripts = [address for address in asked if address.startswith("/page/gallery")]
        assert [address.split("?")[0] for address in scripts[:2]] == ["/page/gallery.en.js", "/page/gallery-tools.en.js"], asked
        photos = [index for index, address in enumerate(asked) if address.startswith("/media/")]
        assert asked.index(scripts[0]) < photos[0], asked
        assert sum(index < asked.index(scripts[1]) for index in photos) <= 2, asked

        def come():
            found = page.evaluate(PHOTOS)
            return found if all(photo["isLoaded"] for photo in found["shown"] if photo["isNear"]) else None

        found = until(page, "the photos on the screen", come)
        print(f"\nphotos before the first scroll: {found['bytes']} bytes")
        assert 10_000 < found["bytes"] <= 350_000
        assert len(found["shown"]) == 10
        assert [photo["isLoaded"] for photo in found["shown"]] == [photo["isNear"] for photo in found["shown"]], found
        # In the size of the screen, not in the original size.
        assert "/medium-" in found["shown"][0]["address"], found

        # Scrolling loads the photos of the next screens before they are visible.
        page.mouse.wheel(0, 100)
        until(page, "photos below the screen", lambda: any(
            photo["isLoaded"] and not photo["isNear"] for photo in page.evaluate(PHOTOS)["shown"][-8:]))


def test_photos_further_down_come_when_no_scripts_do(browser, running):
    with on_slow_phone(browser, running) as page:
        page.route("**/page/gallery*.js*", lambda route: route.abort())
        page.goto("/all")

        def loaded():
            return page.evaluate("[...document.querySelectorAll('#posts img')].map(({ naturalWidth }) => naturalWidth > 0)")

        until(page, "the first photos", lambda: loaded()[:2] == [True, True])
        assert not any(loaded()[2:])
        # They wait as long as an animation takes.
        page.evaluate("for (const animation of document.getAnimations()) animation.finish()")
        until(page, "another photo", lambda: loaded()[2])


@pytest.mark.parametrize("preset", ["public", "members"])
def test_a_member_waits_for_nothing_that_is_needed_later(browser, preset):
    """The token, the list and the photos come one after the other; what the first view does not need comes after the photos."""
    with service() as running:
        anna = running.person("Anna Lind")
        for number in range(3):
            running.publish(f"Number {number}", "photo.jpg")
        running.set_up(preset)
        with opened(browser, running, "/v1/version", person=anna, **PHONE) as page:
            asked = []
            page.on("request", lambda request: asked.append(request.url.removeprefix(running.url).split("?")[0]))
            held = []
            page.route("**/media/**", lambda route: held.append(route))
            page.goto("/", wait_until="commit")
            until(page, "a photo of the list", lambda: page.locator(CARDS).count() == 3 and held)
            # The first page is requested beside the answer whom the member follows, and no other page is.
            lists = [address for address in asked if address.startswith(("/v1/posts", "/v1/people", "/people")) and "events" not in address]
            assert sorted(lists) == [f"/people/{anna.uid}/following.json", "/v1/posts"], asked
            expect(page.locator("#tools .account")).to_be_visible()
            assert not any("gallery-rest" in address for address in asked), asked
            for route in held:
                route.continue_()
            page.unroute("**/media/**")
            page.wait_for_selector("upload-tray", state="attached")
            assert any("gallery-rest" in address for address in asked), asked

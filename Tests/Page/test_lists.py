"""Tests the lists of posts: additions and deletions, thousands of posts, kept positions, and invalid posts."""

import json
import os

import pytest
from gallery import PATIENCE, PLACE, opened, seeded, until, wait
from playwright.sync_api import expect
from service import service

CARDS = "post-feed article:not(.gone)"
# The number of posts that are scrolled: 10,000 with `Scripts/test --all`.
SCROLLED = int(os.environ.get("SCROLLED_POSTS", "2000"))


def texts(page):
    return page.locator(f"{CARDS} .words").all_inner_texts()


def test_a_new_post_appears_by_itself_above_the_others(browser):
    with service() as running:
        running.publish("first")
        with opened(browser, running, "/") as page:
            expect(page.locator(CARDS)).to_have_count(1)
            expect(page.locator(".live")).to_have_text("live")
            running.publish("second", "photo.jpg")
            expect(page.locator(CARDS)).to_have_count(2)
            expect(page.locator(CARDS).first.locator("img")).to_have_js_property("complete", True)
            running.publish("third")
            expect(page.locator(CARDS)).to_have_count(3)
            assert texts(page) == ["third", "first"]
            expect(page.get_by_role("status").filter(has_text="New post by maria")).to_have_count(1)


def test_a_post_that_is_deleted_goes_and_a_draft_that_is_sent_late_comes_first(browser):
    with service() as running:
        draft = running.owner("/v1/uploads?user=maria&draft=true", "-X", "POST")["upload_id"]
        first, second, third = [running.publish(text) for text in ("first", "second", "third")]
        with opened(browser, running, "/") as page:
            expect(page.locator(".live")).to_have_text("live")
            running.owner(f"/v1/posts/{second}", "-X", "DELETE")
            expect(page.locator(CARDS)).to_have_count(2)
            # The content does not move while it is read: the space of a deleted post stays empty.
            assert page.locator("article.gone").count() == 1
            running.owner(f"/v1/uploads/{draft}/publish?text=late", "-X", "POST")
            expect(page.locator(CARDS)).to_have_count(3)
            assert texts(page) == ["late", "third", "first"]
            post = running.owner(f"/posts/{first}.json")
            running.owner(f"/posts/{first}.json", "-X", "PUT", "-d", json.dumps({**post, "text": "mended"}))
            expect(page.get_by_text("mended")).to_be_visible()
            assert texts(page) == ["late", "third", "mended"]
            for post in (draft, third, first):
                running.owner(f"/posts/{post}.json", "-X", "DELETE")
            expect(page.locator("#empty")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_service_without_posts_says_so_by_its_name(browser, scripts):
    with service() as running:
        running.set_up()
        box = "post-feed #empty" if scripts else "#empty"
        with opened(browser, running, "/", java_script_enabled=scripts) as page:
            expect(page.locator(f"{box} h2")).to_have_text("No posts yet")
            expect(page.locator(f"{box} p")).to_have_text("Nobody has posted in Tintype yet.")
            expect(page.locator("pre, #empty button, .people-list")).to_have_count(0)


def test_whoever_reads_further_down_is_told_of_new_posts_and_is_not_moved(browser):
    with service() as running:
        seeded(running, 60)
        with opened(browser, running, "/all") as page:
            page.wait_for_selector(CARDS)
            scroll_to(page, 1500)
            expect(page.locator(".live")).to_have_text("live")
            before = page.evaluate(PLACE)
            gone = page.evaluate("document.querySelector('post-feed article').dataset.id")
            running.publish("news")
            running.owner(f"/v1/posts/{gone}", "-X", "DELETE")
            expect(page.get_by_role("button", name="1 new post")).to_be_visible()
            assert page.evaluate(PLACE) == before
            page.get_by_role("button", name="1 new post").click()
            expect(page.locator(CARDS).first).to_contain_text("news")
            assert page.evaluate("scrollY") == 0


def test_a_page_that_was_cut_off_goes_on_where_it_was(browser):
    with service() as running:
        gone, _ = running.publish("gone"), running.publish("stays")
        with opened(browser, running, "/") as page:
            expect(page.locator(".live")).to_have_text("live")
            page.locator(CARDS).last.evaluate("(card) => { card.dataset.mark = 'kept'; }")
            running.kill()
            expect(page.locator(".live")).to_have_text("reconnecting…")
            # Only the socket is used here.
            address, running.address = running.address, "127.0.0.1:0"
            running.start()
            running.owner(f"/v1/posts/{gone}", "-X", "DELETE")
            running.publish("meanwhile")
            running.kill()
            running.address = address
            running.start()
            expect(page.get_by_text("meanwhile")).to_be_visible()
            expect(page.locator(CARDS)).to_have_count(2)
            assert texts(page) == ["meanwhile", "stays"]
            expect(page.locator(".live")).to_have_text("live")


def test_a_page_whose_posts_were_all_replaced_reads_them_again(browser):
    with service() as running:
        first = running.publish("first")
        with opened(browser, running, "/") as page:
            expect(page.locator(".live")).to_have_text("live")
            post = running.owner(f"/posts/{first}.json")
            running.owner("/posts.json", "-X", "PUT", "-d", json.dumps({"a": {**post, "text": "by an import"}}))
            expect(page.get_by_text("by an import")).to_be_visible()
            expect(page.locator(CARDS)).to_have_count(1)
            running.publish("after")
            expect(page.locator(CARDS)).to_have_count(2)
            assert texts(page) == ["after", "by an import"]


@pytest.mark.parametrize("record", ['"junk"', '{"text": "no time"}', '{"timestamp": "later"}', '{"timestamp": 1e300}'])
def test_a_record_that_is_no_post_hides_no_other(browser, record):
    with service() as running:
        running.publish("here")
        running.owner("/posts/-Zzzzzzzzzzzzzzzzzzz.json", "-X", "PUT", "-d", record)
        with opened(browser, running, "/all") as page:
            expect(page.get_by_text("here", exact=True)).to_be_visible()


def test_photos_are_shown_when_all_recipes_cut(browser):
    with service("--recipe", "tile=160,cover") as running:
        running.publish("", "photo.jpg")
        with opened(browser, running, "/") as page:
            wait(page, "document.querySelector('post-feed img')?.currentSrc.includes('/tile-')")


def test_a_photo_whose_file_is_not_here_shows_its_placeholder(browser, tmp_path):
    with service() as running:
        post = running.publish("", "photo.jpg")
        seed = tmp_path / "seed.json"
        seed.write_text(json.dumps({"posts": {post: running.owner(f"/posts/{post}.json")}}))
        color = running.owner(f"/posts/{post}/photos/0/color.json")
    with service("--engine", "memory", "--seed", str(seed)) as copy, opened(browser, copy, "/") as page:
        frame = page.locator(f"{CARDS} .photo-frame.missing")
        expect(frame).to_be_visible()
        # The decoder's picture has the photo's own mean colour, as exactly as a placeholder can hold it.
        mean = frame.evaluate("""async (frame) => {
            const source = new Image();
            source.src = frame.style.backgroundImage.slice(5, -2);
            await source.decode();
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 1;
            const context = canvas.getContext("2d");
            context.imageSmoothingQuality = "high";
            context.drawImage(source, 0, 0, 1, 1);
            return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
        }""")
        assert all(abs(a - int(color[i:i + 2], 16)) < 48 for a, i in zip(mean, (1, 3, 5))), (mean, color)


def test_photos_of_a_service_that_is_known_by_an_address(browser):
    """Posts of the database name their photos by an address, and the page shows them from there, even on the machine itself."""
    with service("--public-url", "https://photos.example.org") as running:
        post = running.publish("abroad", "photo.jpg")
        with opened(browser, running, "/") as page:
            wait(page, "document.querySelector('post-feed img')?.naturalWidth > 1")
            page.locator(f"{CARDS} a.photo").click()
            wait(page, "document.querySelector('.stage img')?.naturalWidth > 1")
            loaded = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
            assert all(name.startswith(running.url) for name in loaded), loaded
        # An invalid or foreign address is not followed.
        for address in ("http://", "https://elsewhere.example/a.jpg", ""):
            running.owner(f"/posts/{post}/photos/0/renditions.json", "-X", "PUT", "-d", json.dumps(
                {"full": {"url": address, "width": 8, "height": 8}}))
            with opened(browser, running, "/") as page:
                expect(page.get_by_role("article", name="maria: ")).to_be_visible()
                loaded = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
                assert all(name.startswith(running.url) for name in loaded), loaded


def test_seven_tabs_share_one_stream(browser):
    with service() as running:
        running.publish("first")
        context = browser.new_context(base_url=running.url, locale="en-US")
        tabs = [context.new_page() for _ in range(7)]
        for tab in tabs:
            tab.goto("/")
            expect(tab.locator(".live")).to_have_text("live")
        running.publish("second")
        for tab in tabs:
            expect(tab.locator(CARDS)).to_have_count(2)
        # The listening tab closes, and another takes over.
        tabs.pop(0).close()
        running.publish("third")
        for tab in tabs:
            expect(tab.locator(CARDS)).to_have_count(3)
        context.close()


def test_back_leads_to_the_same_photo_at_the_same_place(browser):
    with service() as running:
        seeded(running, 300)
        with opened(browser, running, "/all") as page:
            scroll_to(page, 6000)
            before = page.evaluate(PLACE)
            for leave, come_back in (
                    (lambda: page.evaluate("document.querySelector('#top nav a').click()"), page.go_back),
                    (lambda: page.evaluate("0"), page.reload),
                    (lambda: page.goto("/account"), page.go_back)):
                leave()
                come_back()
                until(page, "the place", lambda: page.evaluate(PLACE) == before)


def scroll_to(page, top):
    """Scrolls like a reader: the next screen once this one is complete."""
    while page.evaluate("scrollY") < top - 1:
        page.evaluate(f"scrollTo(0, Math.min({top}, scrollY + innerHeight))")
        filled(page)


def filled(page):
    wait(page, """() => [...document.querySelectorAll("post-feed .page")].every(({ page, element = page.element }) => {
        const { top, bottom } = element.getBoundingClientRect();
        return bottom <= 0 || top >= innerHeight || element.childElementCount === page.count;
    }) && document.querySelector("post-feed .list").ariaBusy === "false" """)


WATCH = """
window.watched = { shift: 0, tasks: [], moved: [], cards: 0 };
new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, startTime, sources } of list.getEntries()) {
        if (hadRecentInput) continue;
        watched.shift += value;
        watched.moved.push([value, startTime, scrollY, ...sources.map(({ node, previousRect, currentRect }) => (
            `${node?.nodeName}.${node?.className} ${previousRect.x},${previousRect.y} to ${currentRect.x},${currentRect.y}`))]);
    }
})
    .observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => { for (const { startTime, duration } of list.getEntries()) watched.tasks.push([startTime, duration]); })
    .observe({ type: "longtask", buffered: true });
new MutationObserver(() => { watched.cards = Math.max(watched.cards, document.querySelectorAll("post-feed article").length); })
    .observe(document, { childList: true, subtree: true });
"""


def test_thousands_of_posts_are_scrolled(browser):
    """Every post appears once on the way down and once on the way up, in order, few of them at a time, and nothing jumps."""
    with service() as running:
        ids = seeded(running, SCROLLED)[::-1]
        with opened(browser, running, "/all", script=WATCH) as page:
            page.wait_for_selector(CARDS)
            devtools = page.context.new_cdp_session(page)
            # A screen at a time, with its posts recorded; all of it in the page, because a round trip would take longer than
            # the scrolling.
            walk = """async ([step, patience]) => {
                const seen = new Map();
                const frame = () => new Promise((resolve, fail) => {
                    const timer = setTimeout(() => fail(new Error(`no frame for long at ${scrollY}: ${document.visibilityState}`)), patience);
                    requestAnimationFrame(() => { clearTimeout(timer); resolve(); });
                });
                const empty = () => [...document.querySelectorAll("post-feed .page")].find((element) => {
                    const { top, bottom } = element.getBoundingClientRect();
                    return bottom > 0 && top < innerHeight && element.childElementCount !== element.page.count;
                });
                for (;;) {
                    for (const start = performance.now(); empty();) {
                        const { childElementCount, page } = empty();
                        if (performance.now() > start + patience) throw new Error(`${childElementCount} of ${page.count} at ${scrollY}`);
                        await frame();
                    }
                    for (const card of document.querySelectorAll("post-feed article")) {
                        const { top, bottom } = card.getBoundingClientRect();
                        if (bottom > 0 && top < innerHeight) seen.set(card.dataset.id, Number(card.ariaPosInSet));
                    }
                    const before = scrollY;
                    scrollBy(0, step * innerHeight * 0.8);
                    await frame();
                    if (scrollY === before && (step < 0 || document.querySelector(".end"))) return [...seen].sort((a, b) => a[1] - b[1]);
                    if (seen.size > 1e5) throw new Error("the list does not end");
                }
            }"""

            # The test's own work in the browser is not a task of the page.
            collections = []

            def heap():
                start = page.evaluate("performance.now()")
                devtools.send("HeapProfiler.collectGarbage")
                collections.append((start, page.evaluate("performance.now()")))
                return devtools.send("Runtime.getHeapUsage")["usedSize"]

            scroll_to(page, 8000)
            early = heap()
            page.evaluate("scrollTo(0, 0)")
            for step in (1, -1):
                seen = page.evaluate(walk, [step, PATIENCE])
                assert [id for id, _ in seen] == ids
                assert [position for _, position in seen] == list(range(1, SCROLLED + 1))
            late, watched = heap(), page.evaluate("watched")
            # The posts are scrolled between the two collections; before the first the page is loaded.
            tasks = watched["tasks"]
            loading = max((duration for begun, duration in tasks if begun < collections[0][0]), default=0)
            scrolling = max((duration for begun, duration in tasks if collections[0][1] < begun < collections[1][0]), default=0)
            print(f"\n{SCROLLED} posts: {watched['cards']} cards at most, layout shift {watched['shift']:.4f}, tasks over 50 ms: "
                  f"{scrolling:.0f} ms while scrolling, {loading:.0f} ms while loading, {early / 1e6:.1f} MB of heap early and {late / 1e6:.1f} MB in the end")
            assert watched["cards"] <= 200
            assert watched["shift"] < 0.02, watched["moved"]
            assert late < early + 4e6


# Counts the frames in which a list that was visible before is empty.
BARE = """
window.bare = 0;
let begun = false;
(function look() {
    if (document.querySelector("#posts li, post-feed article")) begun = true; else if (begun) window.bare += 1;
    requestAnimationFrame(look);
})();
"""


def test_the_list_of_the_service_has_its_looks_at_once_and_stays_until_the_other_is_drawn(browser):
    with service() as running:
        seeded(running, 30)
        with opened(browser, running, "about:blank", script=BARE, viewport={"width": 390, "height": 844}) as page:
            held, is_holding = [], True
            page.route("**/page/*.js*", lambda route: held.append(route) if is_holding else route.continue_())
            page.goto("/all", wait_until="commit")
            expect(page.locator("#posts img").first).to_be_visible()
            until(page, "the scripts", lambda: held)
            # The width of the screen: the attribute alone contains that of the photo.
            until(page, "the looks", lambda: page.locator("#posts img").first.bounding_box()["width"] == 390)
            is_holding = False
            for route in held:
                route.continue_()
            page.wait_for_selector(CARDS)
            expect(page.locator("#posts")).to_have_count(0)
            assert page.evaluate("bare") == 0


def test_the_page_is_small(browser):
    """40: under 85 kB before it shows a photo: under 25 kB as sent compressed; and all of it from this service."""
    with service() as running:
        seeded(running, 60)
        with opened(browser, running, "/") as page:
            page.wait_for_selector(CARDS)
            loaded = page.evaluate("""[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
                .filter(({ initiatorType, startTime }) => initiatorType !== "img" && startTime <= performance.getEntriesByName("first-page")[0].startTime)
                .map(({ name, decodedBodySize, encodedBodySize }) => [name, decodedBodySize, encodedBodySize])""")
            plain, sent = (sum(entry[index] for entry in loaded) for index in (1, 2))
            print(f"\nfirst page: {plain} bytes, {sent} as they are sent, in {len(loaded)} answers")
            assert all(name.startswith(running.url) for name, *_ in loaded), loaded
            # The document, its looks and its scripts.
            assert len(loaded) == 3, loaded
            assert 20_000 < plain < 85_000, loaded
            assert 4_000 < sent < 25_000, loaded

"""Tests the parts of a service that other sites show: the embedded element, in a real browser, and the feeds, read by a parser."""

import functools
import http.server
import json
import re
import threading
import urllib.request
import xml.etree.ElementTree

import pytest
from playwright.sync_api import expect
from service import service

from harness.waiting import eventually

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "</p><script>window.wrong = 1</script>\"'><img src=x onerror='window.wrong = 1'>]]>&amp; \u0001\u000b\ufffe 👩‍👧 <\u0338b"


def put(running, path, value):
    running.owner(f"/{path}.json", "-X", "PUT", "-d", json.dumps(value))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The addresses of the pages of two other sites, one allowed and one not, and the folder that both serve."""
    folder = tmp_path_factory.mktemp("pages")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, *(f"http://127.0.0.1:{server.server_port}" for server in servers)
    for server in servers:
        server.shutdown()


@pytest.fixture(scope="module")
def running(pages):
    with service("--allowed-origins", pages[1]) as running:
        yield running


@pytest.fixture
def embedded(browser, pages, running, request):
    """Opens a page of another site with such an element."""
    contexts = []

    def embedded(attributes, origin=None, width=820, routes=(), head="", **options):
        # A cached answer for one origin must not be used for another.
        name = re.sub(r"\W", "-", request.node.name) + f"-{len(contexts)}.html"
        (pages[0] / name).write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<title>Blog</title>'
            f'<script type="module" src="{running.url}/embed.js"></script>'
            f'<div style="width: {width}px"><tintype-feed {attributes}></tintype-feed></div>')
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        for pattern, answer in routes:
            page.route(pattern, answer)
        page.goto(f"{origin or pages[1]}/{name}")
        return page

    yield embedded
    for context in contexts:
        context.close()


def test_a_page_of_another_site_shows_a_persons_posts(running, embedded):
    words = running.publish("Only words #embed")
    photo = running.publish("A view #embed", "size-97x61.jpg", alt="The lake")
    album = running.publish("Two views", "size-97x61.jpg", "size-97x61.png")
    page = embedded('user="maria" count="3"')
    links = page.locator("tintype-feed a")
    expect(links).to_have_count(3)
    assert links.evaluate_all("links => links.map((link) => link.href)") == [
        f"{running.url}/posts/{id}" for id in (album, photo, words)]
    expect(page.get_by_role("list", name="Photos")).to_be_visible()
    expect(page.get_by_role("link", name="The lake")).to_be_visible()
    expect(page.get_by_role("link", name="Photo by maria (2)")).to_be_visible()
    expect(page.get_by_role("link", name="Only words #embed")).to_be_visible()
    image = page.locator("tintype-feed img").first
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('tintype-feed').shadowRoot.activeElement.href") == f"{running.url}/posts/{album}"
    links.first.press("Enter")
    page.wait_for_url(f"{running.url}/posts/{album}")


def test_a_tag_a_strip_and_a_width(running, embedded):
    running.publish("One of #strip", "size-97x61.jpg")
    running.publish("Another of #strip", "size-97x61.jpg")
    for width in (200, 390, 1200):
        page = embedded('tag="#strip"', width=width)
        expect(page.locator("tintype-feed a")).to_have_count(2)
        boxes = [item.bounding_box() for item in page.locator("tintype-feed li").all()]
        assert all(box["width"] <= width / 2 and abs(box["width"] - box["height"]) < 1 for box in boxes), boxes
    page = embedded('tag="strip" layout="strip" theme="dark"', width=250)
    expect(page.locator("tintype-feed a")).to_have_count(2)
    assert page.evaluate("document.querySelector('tintype-feed').getBoundingClientRect().width") == 250
    assert page.evaluate("(list => list.scrollWidth > list.clientWidth)(document.querySelector('tintype-feed').shadowRoot.querySelector('ul'))")
    assert page.evaluate("getComputedStyle(document.querySelector('tintype-feed')).colorScheme") == "dark"


def test_it_says_what_it_does_in_the_pages_language(running, embedded):
    expect(embedded('tag="nothing"').get_by_role("status")).to_have_text("No posts yet.")
    expect(embedded('tag="nothing" lang="de"').get_by_role("status")).to_have_text("Noch keine Beiträge.")
    answers = [lambda route: route.abort(), lambda route: route.fulfill(status=503), lambda route: route.continue_()]
    page = embedded('user="maria" lang="de"', routes=[("**/v1/people/**", lambda route: answers.pop(0)(route))])
    running.publish("After all")
    for _ in range(2):
        expect(page.get_by_role("status")).to_contain_text("Die Beiträge kamen nicht an.")
        page.get_by_role("button", name="Noch einmal").click()
    expect(page.get_by_role("link", name="After all")).to_be_visible()


def test_a_site_that_is_not_allowed_gets_nothing(pages, embedded):
    page = embedded('user="maria"', origin=pages[2])
    assert page.evaluate("customElements.get('tintype-feed') === undefined")
    assert page.evaluate("fetch(document.querySelector('script').src.replace('embed.js', 'v1/posts')).then(() => 'read', () => 'refused')") == "refused"


def test_texts_of_others_stay_texts(running, embedded):
    rendition = {"width": 10, "height": 10}
    # Last: addresses that would be dangerous if they were appended to the service's own unchanged.
    for index, url in enumerate(["javascript:window.wrong = 1", "data:.evil.example/x", "//evil.example/x", "http://[", "https://evil.example/y"]):
        put(running, f"posts/-P6xJd7DkF0an8Cy0qL{index}", {
            "author": {"uid": "eve", "full_name": HOSTILE}, "text": HOSTILE + " #hostile", "timestamp": index + 1,
            "photos": {"0": {"width": 10, "height": 10, "alt": HOSTILE, "color": HOSTILE, "renditions": {"full": rendition | {"url": url}}}}})
        put(running, f"hashtags/hostile/-P6xJd7DkF0an8Cy0qL{index}", True)
    asked = []
    page = embedded('tag="hostile"', head="<meta http-equiv=\"Content-Security-Policy\" content=\"require-trusted-types-for 'script'\">")
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.locator("tintype-feed a")).to_have_count(5)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.wrong") is None
    assert not [url for url in asked if "evil" in url and not url.startswith(f"{running.url}/")]
    assert page.evaluate("[...document.querySelector('tintype-feed').shadowRoot.querySelectorAll('script, [onerror]')].length") == 0


def test_it_reads_again_where_it_is_asked_to(running, embedded):
    running.publish("First #again")
    page = embedded("", routes=[("**/*.html", lambda route: route.continue_())])
    # The shortest time is ten seconds, which the page's fake clock skips.
    page.clock.install()
    page.evaluate("document.querySelector('tintype-feed').setAttribute('tag', 'again')")
    page.evaluate("document.querySelector('tintype-feed').setAttribute('refresh', '1')")
    expect(page.locator("tintype-feed a")).to_have_count(1)
    running.publish("Second #again")

    def passed():
        page.clock.run_for(10_000)
        return page.locator("tintype-feed a").count() == 2
    eventually("the second post", passed)


# MARK: Feeds


def read(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def test_feeds_can_be_parsed_whatever_is_in_them(running):
    put(running, "people/mallory", {"full_name": HOSTILE, "bio": HOSTILE})
    put(running, "posts/-P6xJd7DkF0an8Cy1qLh", {
        "author": {"uid": "mallory", "full_name": HOSTILE}, "text": HOSTILE + "\r\nline\ttab #tag", "timestamp": -9e14, "photos": {"0": {
            "width": 97, "height": 61, "alt": HOSTILE, "renditions": {"full": {
                "url": "/media/mallory/x.jpg", "width": 97, "height": 61, "bytes": 7, "content_type": HOSTILE}}}}})
    running.publish("Words, and a #tag", "size-97x61.jpg", alt=HOSTILE[:200].replace("\u0001\u000b\ufffe", ""))
    for path in ("", "/people/mallory", "/people/maria", "/tags/tag"):
        feed = xml.etree.ElementTree.fromstring(read(f"{running.url}{path}/feed.atom"))
        assert feed.tag == ATOM + "feed"
        others = json.loads(read(f"{running.url}{path}/feed.jsonfeed"))
        entries = feed.findall(ATOM + "entry")
        assert len(entries) == len(others["items"]) > 0
        for element in [feed, *entries]:
            assert all(element.find(ATOM + name) is not None and element.find(ATOM + name).text for name in ("id", "title", "updated"))
        for entry, item in zip(entries, others["items"]):
            assert entry.find(ATOM + "id").text == item["id"]
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry.find(ATOM + "updated").text)
            content = entry.find(ATOM + "content")
            assert content.get("type") == "html" and len(content) == 0
            # As a reader parses it: both are the same except for control characters.
            plain = re.sub("[\u0001\u000b\ufffe]", "\ufffd", item["content_html"])
            assert content.text == plain and "<script" not in plain and "onerror='window" not in plain
            for link in entry.findall(f"{ATOM}link[@rel='enclosure']"):
                assert link.get("href").startswith(f"{running.url}/") and int(link.get("length", "1")) > 0

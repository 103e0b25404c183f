"""The page with the newest posts, in a real browser, on the built service."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile

import pytest
from browser import Browser, eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADED = "live.dataset.state === 'live' && (list.childElementCount > 0 || !empty.hidden)"


@pytest.fixture(scope="module")
def browser():
    browser = Browser()
    yield browser
    browser.close()


class Service:
    def __init__(self, folder, arguments):
        self.folder, self.log, self.arguments = folder, folder / "log", arguments
        self.start("127.0.0.1:0")

    def start(self, address):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [os.environ["TINTYPE"], "serve", "--storage", f"{self.folder}/Storage", "--listen", address, *self.arguments],
                stdout=log, stderr=log)
        lines = eventually("the service", lambda: [
            line for line in self.log.read_text().splitlines() if "listening on http://" in line])
        self.url = lines[0].split()[-1]

    def restart(self, wait, act):
        """Stops, and starts again on another port, where only the socket is used, and then on the one that there was."""
        address = self.url.split("/")[2]
        for listen, step in (("127.0.0.1:0", act), (address, None)):
            self.process.terminate()
            self.process.wait()
            wait()
            self.start(listen)
            if step:
                step()

    def ask(self, path, *options):
        answer = subprocess.run(
            ["curl", "-sS", "--fail-with-body", "--unix-socket", f"{self.folder}/Storage/tintype.sock", *options,
             f"http://localhost{path}"], capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return json.loads(answer.stdout)

    def post(self, text, photo=None, alt=None):
        options = ["-F", "user=maria", "-F", f"text={text}", *(["-F", f"alt={alt}"] if alt else [])]
        return self.ask("/v1/uploads", *options, *(["-F", f"photo=@{ROOT}/Fixtures/{photo}"] if photo else []))["post_id"]


@contextlib.contextmanager
def service(*arguments):
    with tempfile.TemporaryDirectory(prefix="tintype-page-", ignore_cleanup_errors=True) as name:
        running = Service(pathlib.Path(name), arguments)
        try:
            yield running
        finally:
            running.process.terminate()
            running.process.wait()


def test_a_new_post_appears_by_itself_above_the_others(browser):
    with service() as running:
        running.post("first")
        tab = browser.open(running.url)
        tab.wait(LOADED)
        running.post("second", "photo.jpg")
        tab.wait("list.childElementCount === 2")
        assert tab.value("[...list.querySelectorAll('.text')].map((text) => text.textContent)") == ["second", "first"]
        tab.wait("list.querySelector('img').naturalWidth > 0")
        assert tab.faults == []
        tab.close()


TEXTS = "[...list.querySelectorAll('.text')].map((text) => text.textContent)"


def test_a_post_that_is_deleted_goes_and_a_draft_that_is_sent_late_comes_first(browser):
    with service() as running:
        draft = running.ask("/v1/uploads?user=maria&draft=true", "-X", "POST")["upload_id"]
        first, second, third = [running.post(text) for text in ("first", "second", "third")]
        tab = browser.open(running.url)
        tab.wait(LOADED)
        running.ask(f"/v1/posts/{second}", "-X", "DELETE")
        tab.wait("list.childElementCount === 2")
        running.ask(f"/v1/uploads/{draft}/publish?text=late", "-X", "POST")
        tab.wait("list.childElementCount === 3")
        assert tab.value(TEXTS) == ["late", "third", "first"]
        running.ask(f"/posts/{first}/text.json", "-X", "PUT", "-d", '"first, again"')
        post = running.ask(f"/posts/{first}.json")
        running.ask(f"/posts/{first}.json", "-X", "PUT", "-d", json.dumps({**post, "text": "mended"}))
        tab.wait("list.textContent.includes('mended')")
        assert tab.value(TEXTS) == ["late", "third", "mended"]
        for post in (draft, third, first):
            running.ask(f"/posts/{post}.json", "-X", "DELETE")
        tab.wait("list.childElementCount === 0 && !empty.hidden")
        assert tab.faults == []
        tab.close()


def test_a_page_that_was_cut_off_goes_on_where_it_was(browser):
    with service() as running:
        gone, _ = running.post("gone"), running.post("stays")
        tab = browser.open(running.url)
        tab.wait(LOADED + " && list.childElementCount === 2")
        tab.value("list.firstElementChild.dataset.mark = 'kept'")
        running.restart(lambda: tab.wait("live.dataset.state === 'offline'"), lambda: (
            running.ask(f"/v1/posts/{gone}", "-X", "DELETE"), running.post("meanwhile")))
        tab.wait("live.dataset.state === 'live' && list.textContent.includes('meanwhile')")
        tab.wait("list.childElementCount === 2")
        assert tab.value(TEXTS) == ["meanwhile", "stays"]
        # The list was not read anew.
        assert tab.value("list.lastElementChild.dataset.mark") == "kept"
        tab.close()


def test_a_page_whose_posts_were_all_replaced_reads_them_again(browser):
    with service() as running:
        first = running.post("first")
        tab = browser.open(running.url)
        tab.wait(LOADED)
        post = running.ask(f"/posts/{first}.json")
        running.ask("/posts.json", "-X", "PUT", "-d", json.dumps({"a": {**post, "text": "by an import"}}))
        tab.wait("list.childElementCount === 1 && list.textContent.includes('by an import')")
        running.post("after")
        tab.wait("list.childElementCount === 2")
        assert tab.value(TEXTS) == ["after", "by an import"]
        tab.close()


@pytest.mark.parametrize("record", ['"junk"', '{"text": "no time"}', '{"timestamp": "later"}', '{"timestamp": 1e300}'])
def test_a_record_that_is_no_post_hides_no_other(browser, record):
    with service() as running:
        running.post("here")
        running.ask("/posts/-Zzzzzzzzzzzzzzzzzzz.json", "-X", "PUT", "-d", record)
        tab = browser.open(running.url)
        tab.wait(LOADED)
        assert "here" in tab.value("list.textContent")
        tab.wait("!skipped.hidden && skipped.textContent.startsWith('One record')")
        assert tab.faults == []
        tab.close()


def test_photos_are_shown_when_all_recipes_cut(browser):
    with service("--recipe", "tile=160,cover") as running:
        running.post("", "photo.jpg")
        tab = browser.open(running.url)
        tab.wait("list.querySelector('img')?.naturalWidth > 0 && list.querySelector('img').currentSrc.includes('/tile-')")
        tab.close()


def test_a_photo_whose_file_is_not_here_shows_its_placeholder(browser):
    with service() as running:
        post = running.post("", "photo.jpg")
        seed = running.folder / "seed.json"
        seed.write_text(json.dumps({"posts": {post: running.ask(f"/posts/{post}.json")}}))
        with service("--engine", "memory", "--seed", str(seed)) as copy:
            tab = browser.open(copy.url)
            tab.wait("list.querySelector('img')?.src.startsWith('data:image/gif')")
            assert tab.value("list.querySelector('img').style.backgroundImage").startswith('url("data:image/png')
            # The decoder's picture has the photo's own mean colour, give or take what a placeholder can hold.
            mean = tab.value("""(async () => {
                const image = list.querySelector("img"), source = new Image();
                source.src = image.style.backgroundImage.slice(5, -2);
                await source.decode();
                const canvas = document.createElement("canvas");
                canvas.width = canvas.height = 1;
                const context = canvas.getContext("2d");
                context.imageSmoothingQuality = "high";
                context.drawImage(source, 0, 0, 1, 1);
                return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
            })()""")
            color = running.ask(f"/posts/{post}/photos/0/color.json")
            assert all(abs(a - int(color[i:i + 2], 16)) < 48 for a, i in zip(mean, (1, 3, 5))), (mean, color)
            tab.close()


def test_a_photo_opens_and_closes_by_the_keyboard_and_has_a_description(browser):
    """40: by keys."""
    with service() as running:
        running.post("", "photo.jpg")
        tab = browser.open(running.url)
        tab.wait("list.querySelector('.photos a') !== null")
        assert tab.value("list.querySelector('img').alt") == "Photo 1 by maria"
        tab.value("list.querySelector('.photos a').focus()")
        tab.press("Enter", 13)
        tab.wait("viewer.open && viewer.querySelector('img').naturalWidth >= 1000")
        tab.press("Escape", 27)
        tab.wait("!viewer.open")
        tab.wait("document.activeElement === list.querySelector('.photos a')")
        tab.close()


def test_a_photo_is_described_by_its_alternative_text_also_when_it_is_opened(browser):
    alt = 'Two <b>children</b> on a "jetty"'
    with service() as running:
        running.post("Summer", "photo.jpg", alt)
        tab = browser.open(running.url)
        tab.wait("list.querySelector('.photos a') !== null")
        assert tab.value("list.querySelector('img').alt") == alt
        tab.value("list.querySelector('.photos a').click()")
        tab.wait("viewer.open")
        assert tab.value("viewer.querySelector('img').alt") == alt
        assert tab.faults == []
        tab.close()


def test_earlier_posts_take_the_focus(browser):
    with service() as running:
        for number in range(26):
            running.post(f"number {number}")
        tab = browser.open(running.url)
        tab.wait(LOADED + " && !more.hidden")
        tab.value("more.focus(); more.click()")
        tab.wait("list.childElementCount === 26 && more.hidden")
        tab.wait("document.activeElement.textContent.includes('number 1')")
        tab.close()


def test_seven_tabs_share_one_stream(browser):
    with service() as running:
        running.post("first")
        tabs = [browser.open(running.url) for _ in range(7)]
        for tab in tabs:
            tab.wait(LOADED)
        running.post("second")
        for tab in tabs:
            tab.wait("list.childElementCount === 2")
        # The one that listens goes, and another takes over.
        tabs.pop(0).close()
        running.post("third")
        for tab in tabs:
            tab.wait("list.childElementCount === 3")
        for tab in tabs:
            tab.close()


def test_words_can_be_read(browser):
    """40: dark and light. WCAG 2.2 §1.4.3 asks for a contrast of 4.5 to 1."""
    with service() as running:
        running.post("here")
        tab = browser.open(running.url)
        tab.wait(LOADED)
        for scheme in ("light", "dark"):
            tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for selector, background in (("#live", "body"), ("time", "article"), (".author", "article"), (".text", "article")):
                contrast = tab.value("""(() => {
                    const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((text) => text / 255)
                        .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
                        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
                    const of = (selector, property) => light(getComputedStyle(document.querySelector(selector))[property]);
                    const [a, b] = [of("%s", "color"), of("%s", "backgroundColor")].sort();
                    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                })()""" % (selector, background))
                assert contrast >= 4.5, (scheme, selector, contrast)
        tab.close()


def test_photos_of_a_service_that_is_known_by_an_address(browser):
    """Posts name their photos there, and the page shows them from where it is: it may be on the machine itself."""
    with service("--public-url", "https://photos.example.org") as running:
        post = running.ask(f"/v1/posts/{running.post('abroad', 'photo.jpg')}")
        assert post["thumb_url"].startswith("https://photos.example.org/v0/b/"), post
        tab = browser.open(running.url)
        tab.wait(LOADED)
        tab.wait("list.querySelector('img')?.naturalWidth > 1")
        assert tab.value("list.querySelector('img').currentSrc").startswith(running.url), "it is loaded from here"
        tab.value("list.querySelector('a').click()")
        tab.wait("viewer.open && viewer.querySelector('img').naturalWidth > 1")
        loaded = tab.value("performance.getEntriesByType('resource').map((entry) => entry.name)")
        assert all(name.startswith(running.url) for name in loaded), loaded
        assert not tab.faults, tab.faults
        tab.close()
        # What is no address, or one elsewhere, leaves the placeholder.
        for address in ("http://", "https://elsewhere.example/a.jpg", ""):
            running.ask(f"/posts/{post['post_id']}/photos/0/renditions.json", "-X", "PUT", "-d", json.dumps(
                {"full": {"url": address, "width": 8, "height": 8}}))
            tab = browser.open(running.url)
            tab.wait(LOADED)
            tab.wait("list.querySelector('img')?.src.startsWith('data:')")
            assert tab.value("skipped.hidden")
            tab.close()


def test_the_page_is_small(browser):
    """40: under 60 kB before it shows a photo, and all of it from here."""
    with service() as running:
        for number in range(20):
            running.post(f"number {number}")
        tab = browser.open(running.url)
        tab.wait(LOADED)
        loaded = tab.value("""[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
            .map((entry) => [entry.name, entry.transferSize])""")
        assert all(name.startswith(running.url) for name, _ in loaded), loaded
        assert 4000 < sum(size for _, size in loaded) < 60_000, loaded
        tab.close()

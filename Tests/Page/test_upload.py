"""Tests uploads in a real browser, on the built service: despite all interruptions, each photo is posted once, or listed with a reason."""

import base64
import json

import pytest
from gallery import PATIENCE
from service import ROOT, service

from harness.waiting import eventually

MANY = 50
GOOD = ["size-97x61.jpg", "photo.jpg", "size-640x480.jpg", "progressive-444.jpg", "rgb-8.png", "lossy.webp"]


class Page:
    """A page of a signed-in person."""

    def __init__(self, browser, running, **options):
        self.context = browser.new_context(viewport={"width": 820, "height": 1000}, **options)
        session = json.dumps(running.person("maria").session(running))
        self.context.add_init_script(
            f"localStorage.getItem('tintype.session') ?? localStorage.setItem('tintype.session', {session})")
        self.running, self.faults = running, []
        self.page = self.open()

    def open(self):
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if "Content Security" in message.text or "Trusted" in message.text else None)
        page.on("dialog", lambda dialog: (self.faults.append("the page asked whether to leave"), dialog.accept()))
        page.goto(self.running.url)
        page.wait_for_selector(".tool.upload")
        return page

    def reload(self):
        self.page.reload()
        self.page.wait_for_selector("upload-tray", state="attached")

    def give(self, event, files, target="document.body"):
        """Drops or pastes files: pairs of a name and bytes."""
        contents = [[name, base64.b64encode(data).decode()] for name, data in files]
        self.page.evaluate("""([event, contents, target]) => {
            const data = new DataTransfer();
            const types = { jpg: "image/jpeg", png: "image/png", webp: "image/webp", txt: "text/plain" };
            for (const [name, text] of contents) {
                const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
                data.items.add(new File([bytes], name, { type: types[name.split(".").pop()] ?? "" }));
            }
            const details = { bubbles: true, cancelable: true };
            const element = target === "document.body" ? document.body : document.querySelector(target);
            element.dispatchEvent(event === "paste" ? new ClipboardEvent("paste", { ...details, clipboardData: data })
                : new DragEvent(event, { ...details, dataTransfer: data }));
        }""", [event, contents, target])

    def wait_for(self, script):
        # Not by Playwright's own waiting, whose polling is an "eval" that the page does not allow.
        eventually(script, lambda: self.page.evaluate(f"Boolean({script})"))

    def kept(self):
        """Returns the posts and files that the browser stores, without the bytes."""
        return self.page.evaluate("""async () => await (await import("/page/upload-store.js")).readAll()""")

    def close(self):
        assert self.faults == []
        self.context.close()


def fixture(name):
    return (ROOT / "Fixtures" / name).read_bytes()


def drop_of_many():
    """Fifty files, three of which are not photos."""
    files = [(f"{number:02}-{GOOD[number % len(GOOD)]}", fixture(GOOD[number % len(GOOD)])) for number in range(MANY - 3)]
    files[10:10] = [("bad-cut.jpg", fixture("truncated-baseline-420.jpg"))]
    files[20:20] = [("bad-text.jpg", b"This is no photo, whatever it is called.")]
    files[30:30] = [("bad-notes.txt", b"Nor is this.")]
    return files


def posts(running):
    return running.owner("/v1/posts?limit=200")["posts"]


def write(page, text):
    page.fill(".composer textarea[name=text]", text)


def publish(page):
    page.click(".composer button[type=submit]")
    page.wait_for_selector(".composer", state="detached")


def check_many(tab, running):
    tab.wait_for("""document.querySelector('upload-tray .title')?.textContent === '47 posted, 3 failed'
        && [...document.querySelectorAll('upload-tray .failed .name')].map(({ textContent }) => textContent).sort().join()
            === 'bad-cut.jpg,bad-notes.txt,bad-text.jpg'""")
    assert all(len(reason) > 10 for reason in tab.page.locator("upload-tray .failed .reason").all_text_contents())
    listed = posts(running)
    assert len(listed) == MANY - 3
    assert all(post["text"] == "Fifty" and len(post["photos"]) == 1 for post in listed)
    # Nothing arrives later.
    status = running.owner("/v1/status")
    assert status["uploads"].get("ingested", 0) == 0 and len(posts(running)) == MANY - 3


def test_of_fifty_dropped_files_with_three_bad_ones_forty_seven_are_posted(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.give("dragover", [("a.jpg", b"")])
        assert tab.page.evaluate("document.body.classList.contains('dropping')")
        tab.give("drop", drop_of_many())
        tab.page.wait_for_selector(".composer .refused li")
        assert "bad-notes.txt" in tab.page.text_content(".composer .refused")
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 49")
        write(tab.page, "Fifty")
        publish(tab.page)
        check_many(tab, running)
        # Failed files would fail again, for the same reason.
        assert tab.page.locator("upload-tray").get_by_role("button", name="again").count() == 0
        for name in ("bad-cut.jpg", "bad-text.jpg", "bad-notes.txt"):
            tab.page.click(f"upload-tray button[aria-label='Remove {name}']")
        tab.wait_for("document.querySelector('upload-tray .title').textContent === '47 posts published'")
        tab.page.click("upload-tray .clear")
        tab.wait_for("document.querySelector('upload-tray').hidden")
        tab.close()


@pytest.mark.parametrize("kills", [4])
def test_a_service_that_is_killed_and_comes_back_loses_and_doubles_nothing(browser, kills):
    with service() as running:
        tab = Page(browser, running)
        tab.give("drop", drop_of_many())
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 49")
        write(tab.page, "Fifty")
        publish(tab.page)
        for number in range(1, kills + 1):
            eventually("some posts", lambda: len(posts(running)) >= 8 * number)
            running.kill()
            running.start()
        check_many(tab, running)
        tab.close()


def test_a_large_photo_goes_on_where_it_was_cut_off(browser):
    with service() as running:
        tab = Page(browser, running)
        offsets = []
        tab.page.on("request", lambda request: offsets.append(int(request.headers["upload-offset"])) if request.method == "PATCH" else None)
        network = tab.context.new_cdp_session(tab.page)
        network.send("Network.enable")
        network.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 4 << 20})
        # Bytes after the end of a JPEG are not part of the picture.
        tab.give("drop", [("large.jpg", fixture("photo.jpg") + bytes(14 << 20))])
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 1")
        publish(tab.page)
        tab.wait_for("parseInt(document.querySelector('upload-tray .busy .state')?.textContent) >= 30")
        running.kill()
        tab.wait_for("document.querySelector('upload-tray .trouble').textContent.includes('cannot be reached')")
        running.start()
        tab.wait_for("document.querySelector('upload-tray .title').textContent === '1 post published'")
        assert len(posts(running)) == 1
        # Two megabytes at most are sent twice.
        assert offsets[0] == 0 and offsets[1] > 2 << 20, offsets
        tab.close()


def test_without_a_network_nothing_is_tried_and_it_goes_on_by_itself(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.give("drop", [("a.jpg", fixture("photo.jpg"))])
        tab.wait_for("document.querySelector('.composer .state')?.textContent === 'Ready'")
        tab.context.set_offline(True)
        publish(tab.page)
        tab.wait_for("document.querySelector('upload-tray .trouble').textContent.startsWith('You are offline')")
        assert posts(running) == []
        tab.context.set_offline(False)
        tab.wait_for("document.querySelector('upload-tray .title').textContent === '1 post published'")
        assert len(posts(running)) == 1
        tab.close()


def test_a_tab_that_is_loaded_again_goes_on(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.give("drop", drop_of_many())
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 49")
        write(tab.page, "Fifty")
        publish(tab.page)
        for number in range(1, 4):
            eventually("some posts", lambda: len(posts(running)) >= 5 * number)
            tab.reload()
        # Another tab takes over from a closed one; the list of files that were refused at once was in the closed tab.
        eventually("some posts", lambda: len(posts(running)) >= 20)
        before, tab.page = tab.page, tab.open()
        before.close()
        eventually("the other posts", lambda: len(posts(running)) >= MANY - 3, lambda: (len(posts(running)), tab.kept()))
        tab.wait_for("document.querySelector('upload-tray .title')?.textContent?.endsWith(' 2 failed')")
        assert len(posts(running)) == MANY - 3
        tab.close()


def test_all_posts_of_a_drop_are_published_or_none(browser):
    """However soon the tab closes after the user has sent the form."""
    with service() as running:
        tab = Page(browser, running)
        tab.give("drop", drop_of_many())
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 49")
        tab.page.evaluate("async () => { await import('/page/upload-store.js'); }")
        running.kill()
        # The states in the browser's store, as soon as it contains any.
        states = tab.page.evaluate("""async () => {
            const { readAll } = await import("/page/upload-store.js");
            document.querySelector(".composer button[type=submit]").click();
            for (let turn = 0; turn < 10000; turn += 1) {
                const states = (await readAll()).posts.map(({ state }) => state);
                if (states.includes("ready")) return states;
            }
        }""")
        assert states == ["ready"] * 49
        running.start()
        tab.reload()
        eventually("the posts", lambda: len(posts(running)) >= MANY - 3, lambda: (len(posts(running)), tab.kept()))
        tab.close()


def test_what_was_being_written_when_the_tab_went_is_there_again(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.give("drop", [("a.jpg", fixture("photo.jpg")), ("b.jpg", fixture("size-97x61.jpg"))])
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 2")
        tab.page.locator(".composer li textarea").first.fill("A lake")
        write(tab.page, "Half a sen")
        # It is stored a moment after the last key.
        def is_kept(kept):
            return kept["posts"][0].get("text") == "Half a sen" and any(file.get("alt") == "A lake" for file in kept["files"])

        eventually("the stored draft", lambda: is_kept(tab.kept()), tab.kept)
        tab.reload()
        tab.page.click("upload-tray .left button:has-text('Go on writing')")
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 2")
        assert tab.page.input_value(".composer textarea[name=text]") == "Half a sen"
        assert tab.page.locator(".composer li textarea").first.input_value() == "A lake"
        write(tab.page, "Half a sentence")
        publish(tab.page)
        eventually("the post", lambda: posts(running))
        post, = posts(running)
        assert post["text"] == "Half a sentence" and [photo.get("alt") for photo in post["photos"]] == ["A lake", None]
        tab.close()


def test_what_the_browser_cannot_decode_is_shown_by_what_the_service_made_of_it(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.give("drop", [("IMG_1.HEIC", fixture("photo.heic")), ("IMG_2.jpg", fixture("progressive-444.jpg"))])
        tab.wait_for("""[...document.querySelectorAll('.composer canvas')].length === 2
            && [...document.querySelectorAll('.composer li')].every(
                (item) => !item.classList.contains('undrawn') && item.querySelector('canvas').width > 300)""")
        # The preview is not a plain area.
        assert tab.page.evaluate("""[...document.querySelectorAll('.composer canvas')].map((canvas) =>
            new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size > 50)""") == [True, True]
        tab.close()


def test_photos_are_in_the_order_in_which_they_were_put(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.page.click(".tool.upload")
        tab.page.set_input_files(".composer input[type=file]", [
            {"name": f"{name}.jpg", "mimeType": "image/jpeg", "buffer": fixture("size-97x61.jpg")} for name in "abcd"])
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 4")
        for index, name in enumerate("abcd"):
            tab.page.locator(".composer li textarea").nth(index).fill(name)
        tab.page.click(".composer button[aria-label='Move d.jpg forward']")
        tab.page.click(".composer button[aria-label='Move d.jpg forward']")
        tab.page.click(".composer button[aria-label='Remove b.jpg']")
        tab.page.locator(".composer canvas").nth(2).drag_to(tab.page.locator(".composer canvas").nth(0))
        tab.wait_for("[...document.querySelectorAll('.composer li textarea')].map((field) => field.value).join('') === 'cad'")
        write(tab.page, "Three #views")
        publish(tab.page)
        eventually("the post", lambda: posts(running))
        post, = posts(running)
        assert [photo["alt"] for photo in post["photos"]] == ["c", "a", "d"]
        assert post["text"] == "Three #views"
        tab.close()


def test_a_photo_that_is_pasted_becomes_a_post_and_words_may_stand_alone(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.give("paste", [("pasted.png", fixture("rgb-8.png"))])
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 1")
        publish(tab.page)
        eventually("the post", lambda: posts(running))
        tab.page.click(".tool.upload")
        assert tab.page.is_disabled(".composer button[type=submit]")
        write(tab.page, "Only words")
        publish(tab.page)
        eventually("the post", lambda: len(posts(running)) == 2)
        assert [post.get("text") for post in posts(running)] == ["Only words", None]
        tab.close()


@pytest.mark.skipif(not (ROOT / "Sources/CPage/Files/mentions.js").exists(), reason="the page has no picker of people")
def test_somebody_who_is_picked_while_one_writes_is_mentioned(browser):
    with service() as running:
        tab = Page(browser, running)
        running.owner("/v1/people/noah", "-X", "PUT", "--json", '{"full_name": "Noah Berg"}')
        tab.page.click(".tool.upload")
        tab.page.wait_for_selector(".composer[open]")
        tab.page.keyboard.type("  With @Noa")
        tab.page.click(".composer [role=option]")
        tab.page.keyboard.type("on the #lake")
        publish(tab.page)
        eventually("the post", lambda: posts(running))
        post, = posts(running)
        mention, = post["mentions"]
        assert mention["uid"] == "noah" and post["text"].endswith("on the #lake") and "Noah Berg" in post["text"]
        tab.close()


def test_several_photos_are_one_post_or_one_each(browser):
    with service() as running:
        tab = Page(browser, running)
        files = [(f"{name}.jpg", fixture("size-97x61.jpg")) for name in "abc"]
        for way, count in (("each", 3), ("one", 1)):
            before = len(posts(running))
            tab.give("drop", files)
            tab.wait_for("[...document.querySelectorAll('.composer .state')].filter((state) => state.textContent === 'Ready').length === 3")
            assert tab.page.is_checked(".composer input[value=one]")
            tab.page.check(".composer input[value=each]")
            tab.wait_for("document.querySelector('.composer button[type=submit]').textContent === 'Post 3'")
            if way == "one":
                tab.page.check(".composer input[value=one]")
                tab.wait_for("document.querySelector('.composer button[type=submit]').textContent === 'Post'")
            write(tab.page, way)
            publish(tab.page)
            eventually("posts", lambda: len(posts(running)) == before + count)
            assert [len(post["photos"]) for post in posts(running)[:count]] == [3 // count] * count
        tab.close()


def test_all_is_done_by_the_keyboard(browser):
    with service() as running:
        tab = Page(browser, running)
        page = tab.page
        page.focus(".tool.upload")
        page.keyboard.press("Enter")
        page.wait_for_selector(".composer[open]")
        assert page.evaluate("document.activeElement.name") == "text"
        page.keyboard.type("By keys")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.type") == "file"
        page.set_input_files(".composer input[type=file]", [
            {"name": f"{name}.jpg", "mimeType": "image/jpeg", "buffer": fixture("size-97x61.jpg")} for name in "ab"])
        tab.wait_for("document.querySelectorAll('.composer .photos li').length === 2")
        reached = set()
        for _ in range(20):
            page.keyboard.press("Tab")
            label = page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent")
            reached.add(label)
            if label == "Move a.jpg back":
                page.keyboard.press("Enter")
                tab.wait_for("document.querySelector('.composer li canvas').ariaLabel === 'Preview of b.jpg'")
                tab.wait_for("document.activeElement.ariaLabel === 'Move a.jpg forward'")
            if label == "Post":
                break
        assert {"Remove a.jpg", "Move a.jpg back", "Post"} <= reached, reached
        page.keyboard.press("Escape")
        page.wait_for_selector(".composer .question:visible")
        assert page.evaluate("document.activeElement.textContent") == "Go on writing"
        page.keyboard.press("Enter")
        page.focus(".composer button[type=submit]")
        page.keyboard.press("Enter")
        eventually("the post", lambda: posts(running))
        post, = posts(running)
        assert post["text"] == "By keys" and len(post["photos"]) == 2
        page.focus("upload-tray .toggle")
        page.keyboard.press("Enter")
        assert page.get_attribute("upload-tray .toggle", "aria-expanded") == "false"
        tab.close()


def test_leaving_warns_only_where_the_browser_keeps_nothing(browser):
    with service() as running:
        tab = Page(browser, running)
        tab.context.route("**/v1/uploads?*", lambda route: route.abort())  # No upload succeeds.
        for keeps in (True, False):
            if not keeps:
                tab.context.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined })")
                tab.reload()
            tab.give("drop", [("a.jpg", fixture("photo.jpg"))])
            tab.wait_for("document.querySelectorAll('.composer .photos li').length === 1")
            tab.page.click(".composer h2")  # Only pages that the user has interacted with may ask.
            tab.page.reload()
            tab.page.wait_for_selector(".tool.upload")
            assert tab.faults == ([] if keeps else ["the page asked whether to leave"])
        tab.context.close()


def test_what_is_too_large_is_refused_before_it_is_sent(browser):
    with service("--max-bytes", "1048576") as running:
        tab = Page(browser, running)
        tab.give("drop", [("large.jpg", bytes(1_200_000)), ("empty.jpg", b"")])
        tab.page.wait_for_selector(".composer .refused li")
        assert "1 MB" in tab.page.text_content(".composer .refused") and "empty" in tab.page.text_content(".composer .refused")
        tab.close()


def test_another_file_takes_the_place_of_one_that_can_never_be_posted(browser):
    """Trying the same again is offered only where it may help."""
    with service() as running:
        tab = Page(browser, running)
        tab.give("drop", [("notes.jpg", b"This is no photo, whatever it is called."), ("a.jpg", fixture("photo.jpg"))])
        failed = tab.page.locator(".composer .photos li.failed")
        failed.locator(".state").get_by_text("This photo format is not supported.").wait_for()
        assert failed.get_by_role("button", name="Try again").count() == 0
        failed.get_by_role("textbox").fill("words that stay")
        with tab.page.expect_file_chooser() as chooser:
            failed.get_by_role("button", name="Choose another photo in place of notes.jpg").click()
        chooser.value.set_files({"name": "more.jpg", "mimeType": "image/jpeg", "buffer": b"Nor is this."})
        failed.get_by_text("more.jpg").wait_for()
        write(tab.page, "Two")
        publish(tab.page)
        # The post waits for it, and offers the same.
        row = tab.page.locator("upload-tray .failed")
        row.get_by_text("The other photo of the post waits for it").wait_for()
        assert row.get_by_role("button", name="Try again").count() == 0
        with tab.page.expect_file_chooser() as chooser:
            row.get_by_role("button", name="Choose another photo in place of more.jpg").click()
        chooser.value.set_files(ROOT / "Fixtures/size-97x61.jpg")
        tab.wait_for("document.querySelector('upload-tray .title').textContent === '1 post published'")
        [post] = posts(running)
        assert [(photo["width"], photo.get("alt", "")) for photo in post["photos"]][0] == (97, "words that stay")
        assert len(post["photos"]) == 2
        tab.close()


@pytest.mark.parametrize(("status", "code", "words", "offers"), [
    (507, "quota_exceeded", "Your space for photos is full.", "Try again"),
    (401, "permission_denied", "The rules of this service do not allow it.", "Try again"),
    (422, "bad_mention", "A mentioned person no longer exists.", "Go on writing"),
    (400, "bad_text", "The text is too long", "Go on writing"),
])
def test_a_post_that_is_refused_says_why_and_what_helps(browser, status, code, words, offers):
    with service() as running:
        tab = Page(browser, running)
        refusal = json.dumps({"code": code, "detail": "refused"})
        tab.page.route("**/publish", lambda route: route.fulfill(status=status, content_type="application/problem+json", body=refusal))
        tab.give("drop", [("a.jpg", fixture("photo.jpg"))])
        write(tab.page, "Mine")
        publish(tab.page)
        row = tab.page.locator("upload-tray .failed")
        row.get_by_text(words).wait_for()
        assert row.get_by_role("button").all_text_contents() == [offers, "Remove"]
        tab.page.unroute("**/publish")
        row.get_by_role("button", name=offers).click()
        if offers == "Go on writing":
            assert tab.page.input_value(".composer textarea[name=text]") == "Mine"
            publish(tab.page)
        tab.wait_for("document.querySelector('upload-tray .title').textContent === '1 post published'")
        assert [post["text"] for post in posts(running)] == ["Mine"]
        tab.close()

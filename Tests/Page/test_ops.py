"""The page for operators, in a real browser, on the built service."""

import json
import os
import pathlib
import re
import subprocess
import urllib.request

import pytest
from playwright.sync_api import expect
from service import ROOT, service

SIZES = [(390, 844), (820, 1180), (1440, 900)]


@pytest.fixture
def open_page(browser):
    """Opens pages in their own contexts, and checks that they have no errors."""
    contexts, faults = [], []

    def open_page(url, **options):
        context = browser.new_context(**{"locale": "en-US", **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if "Security Policy" in message.text else None)
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def link(running, *options):
    answer = subprocess.run(
        [os.environ["TINTYPE"], "ops", "--storage", f"{running.folder}/Storage", *options], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def fail(running, count=1, user="maria"):
    """Sends truncated photos."""
    photo = pathlib.Path(running.folder) / "cut.jpg"
    bytes = (ROOT / "Fixtures/photo.jpg").read_bytes()
    photo.write_bytes(bytes[:len(bytes) // 2])
    for _ in range(count):
        answer = subprocess.run(
            ["curl", "-sS", "--unix-socket", f"{running.folder}/Storage/tintype.sock", "-T", photo,
             f"http://localhost/v1/uploads?user={user}&name=holiday.jpg"], capture_output=True, text=True)
        assert json.loads(answer.stdout)["code"] == "truncated", answer.stdout


def live(page):
    expect(page.locator(".state")).to_have_attribute("data-state", "live", timeout=30_000)
    return page


def test_a_link_opens_the_page_and_its_key_is_gone_from_the_address(open_page):
    with service() as running:
        page = live(open_page(link(running)))
        assert page.url == f"{running.url}/ops"
        assert page.evaluate("document.title") == "Operations · Tintype"
        page.reload()
        live(page)
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Admin key")).to_be_visible()
        assert page.evaluate("sessionStorage.length") == 0 and page.evaluate("localStorage.length") == 0


def test_a_wrong_key_is_told_and_a_right_one_opens_by_keyboard_alone(open_page):
    with service() as running:
        page = open_page(f"{running.url}/ops")
        expect(page.get_by_label("Admin key")).to_be_focused()
        page.keyboard.type("tintype_wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("This key is not valid")
        expect(page.get_by_label("Admin key")).to_be_focused()
        page.get_by_label("Admin key").fill(json.loads(link(running, "--json"))["url"].split("key=")[1])
        page.keyboard.press("Enter")
        live(page)
        expect(page.get_by_role("heading", name="Operations")).to_be_focused()


def test_a_key_that_is_deleted_closes_the_page(open_page):
    with service() as running:
        made = json.loads(link(running, "--json"))
        page = live(open_page(made["url"]))
        running.owner(f"/v1/keys/{made['name']}", "-X", "DELETE")
        expect(page.get_by_role("alert")).to_contain_text("expired or was deleted", timeout=30_000)
        expect(page.locator("ops-tiles")).to_have_count(0)


def test_failures_arrive_by_themselves_and_are_dropped_and_put_back(open_page):
    with service() as running:
        page = live(open_page(link(running)))
        expect(page.get_by_text("Nothing has failed.")).to_be_visible()
        fail(running, 3)
        cards = page.locator(".failure")
        expect(cards).to_have_count(3, timeout=30_000)
        expect(cards.first).to_contain_text("cut off")
        expect(cards.first.locator("h3")).to_have_text("holiday.jpg")
        expect(cards.first).to_contain_text("The transfer may have been cut short")
        expect(cards.first.locator("img")).to_be_visible(timeout=30_000)
        drop = cards.first.get_by_role("button", name="Drop")
        drop.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Drop this file?")
        expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(drop).to_be_focused()
        expect(drop).to_be_enabled()
        page.keyboard.press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Drop").click()
        expect(cards).to_have_count(2)
        assert page.evaluate("document.querySelector('ops-failures').contains(document.activeElement)"), "focus stays near"
        cards.first.get_by_role("button", name="Retry").click()
        # The inbox claims it, and it fails again, now as a file of the inbox.
        expect(page.locator(".failure", has_text="by the inbox")).to_have_count(1, timeout=60_000)
        expect(cards).to_have_count(2)
        page.get_by_role("button", name="Drop all").click()
        page.get_by_role("dialog").get_by_role("button", name="Drop").click()
        expect(cards).to_have_count(0)
        expect(page.get_by_text("2 files are deleted.").first).to_be_visible()
        assert not list(pathlib.Path(running.folder, "Storage/failed").rglob("*.jpg"))


def test_sizes_and_workers_are_those_of_the_command_line(open_page):
    with service("--workers", "2", "--free-space", "1500MiB") as running:
        status = subprocess.run(
            [os.environ["TINTYPE"], "status", "--storage", f"{running.folder}/Storage"], capture_output=True, text=True, check=True)
        assert re.search(r"free space: [0-9.]+ [GTP]iB; 1\.5 GiB must stay free", status.stdout), status.stdout
        for locale, reserve, workers in (("en-US", "1.5 GiB must stay free", "0 of 2"), ("de-DE", "1,5 GiB müssen frei bleiben", "0 von 2")):
            page = live(open_page(link(running), locale=locale))
            expect(page.locator("[data-tile=disk]")).to_contain_text(reserve)
            expect(page.locator("[data-tile=workers] .value")).to_contain_text(workers)


def test_hostile_names_are_shown_as_text(open_page):
    with service() as running:
        name = "<img src=x onerror=document.title='x'>\u202e.jpg"
        inbox = pathlib.Path(running.folder, "Storage/inbox/maria")
        inbox.mkdir(parents=True, exist_ok=True)
        (inbox / name).write_text("no photo")
        page = live(open_page(link(running)))
        expect(page.locator(".failure h3")).to_have_text(name, timeout=60_000)
        assert page.evaluate("document.querySelector('.failure h3').children.length") == 0
        assert page.title() == "Operations · Tintype"


def test_a_job_is_planned_and_paused_stays_so_over_a_kill_and_goes_on(open_page):
    recipes = ("--recipe", "full=900x900,inside,q90", "--recipe", "tile=120x120,cover")
    with service() as running:
        for number in range(6):
            running.publish(f"number {number}", "photo.jpg")
        # There is not enough free space, so that the job waits.
        running.restart(*recipes, "--free-space", "900000GiB")
        page = live(open_page(link(running)))
        expect(page.locator(".warning")).to_contain_text("No photos are taken right now.", timeout=30_000)
        page.get_by_role("button", name="Plan").click()
        expect(page.locator(".plan")).to_contain_text("6 of 6 posts would change.")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".plan")).to_contain_text("goes on without this page")
        job = page.locator("#jobs .jobs:not(.past) .job")
        expect(job).to_contain_text("running")
        expect(job.get_by_role("progressbar", name="Render thumbnails again")).to_be_visible()
        job.get_by_role("button", name="Pause").click()
        expect(job).to_contain_text("paused")
        running.restart(*recipes)
        live(page)
        expect(job).to_contain_text("paused", timeout=30_000)
        expect(page.locator(".warning")).to_be_hidden()
        job.get_by_role("button", name="Go on").click()
        expect(page.locator(".past .job")).to_have_text(re.compile("6 of 6 posts, 6 changed"), timeout=60_000)
        jobs = running.owner("/v1/jobs")["jobs"]
        assert [(job["state"], job["switched"], job["failed"]) for job in jobs] == [("finished", 6, 0)]


def test_a_job_that_switches_last_shows_nothing_until_it_is_told_and_is_rolled_back(open_page):
    with service("--recipe", "full=900x900,inside,q90") as running:
        ids = [running.publish(f"number {number}", "photo.jpg") for number in range(6)]

        def photos():
            return [running.owner(f"/posts/{id}/photos.json") for id in ids]

        first = photos()
        running.restart("--recipe", "full=300x300,inside,q90")
        page = live(open_page(link(running)))
        page.get_by_label("Switch", exact=True).select_option("last")
        page.get_by_role("button", name="Plan").click()
        expect(page.locator(".plan")).to_contain_text("6 of 6 posts would change.")
        page.get_by_role("button", name="Run", exact=True).click()
        job = page.locator("#jobs .jobs:not(.past) .job")
        expect(job.get_by_role("button", name="Switch now")).to_be_visible(timeout=60_000)
        assert photos() == first
        job.get_by_role("button", name="Switch now").click()
        page.locator("summary", has_text="Earlier jobs").click()
        past = page.locator(".past .job")
        expect(past).to_contain_text("6 of 6 posts, 6 changed", timeout=60_000)
        second = photos()
        assert all(a != b for a, b in zip(first, second))
        past.get_by_role("button", name="Roll back").click()
        page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
        expect(past).to_contain_text("rolled back", timeout=60_000)
        assert photos() == first
        paths = re.findall(r'"(/media/[^"]+)"', json.dumps(first))
        assert len(paths) == 6
        for path in paths:
            assert urllib.request.urlopen(running.url + path).status == 200, path


def test_a_page_that_was_cut_off_says_so_and_goes_on(open_page):
    with service() as running:
        page = live(open_page(link(running)))
        running.kill()
        expect(page.locator(".state")).to_have_text("Disconnected – trying again", timeout=30_000)
        running.start()
        fail(running)
        live(page)
        expect(page.locator(".failure")).to_have_count(1, timeout=30_000)


def test_streams_and_refusals_are_shown(open_page):
    with service() as running:
        page = live(open_page(link(running)))
        with subprocess.Popen(["curl", "-sSN", "-o", "/dev/null", f"{running.url}/v1/posts/events"]) as reader:
            expect(page.locator("#connections")).to_contain_text("/v1/posts/events", timeout=30_000)
            subprocess.run(["curl", "-sS", "-o", "/dev/null", f"{running.url}/v1/keys"], check=True)
            expect(page.locator(".log .refused").first).to_contain_text("GET /v1/keys", timeout=30_000)
            reader.terminate()
        expect(page.locator("#connections")).not_to_contain_text("/v1/posts/events", timeout=30_000)


def contrast(page):
    """Returns the texts with a contrast to their background under 4.5 to 1 (WCAG 2.2, 1.4.3)."""
    return page.evaluate("""() => {
      const parse = (color) => color.match(/[\\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
        .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
      const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const color = parse(getComputedStyle(at).backgroundColor);
          if (color.length === 3 || color[3] > 0) return color;
        }
      };
      const found = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
        const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
        const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
        if (ratio < 4.5) found.push([walker.currentNode.textContent, ratio]);
      }
      return found;
    }""")


def test_it_fits_every_screen_in_both_schemes_languages_and_directions(open_page):
    with service() as running:
        fail(running)
        key = link(running)
        for width, height in SIZES:
            for scheme, locale in (("light", "en-US"), ("dark", "de-DE")):
                page = live(open_page(
                    key, viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale,
                    reduced_motion="reduce"))
                expect(page.locator(".failure")).to_have_count(1)
                assert page.evaluate("document.documentElement.lang") == locale[:2]
                assert not re.search(r"\bops\.|\{\w+\}|undefined|NaN", page.inner_text("body"))
                assert contrast(page) == []
                for direction in ("ltr", "rtl"):
                    page.evaluate(f"document.documentElement.dir = '{direction}'")
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, direction)
                # 200 % zoom: half the pixels.
                page.set_viewport_size({"width": max(320, width // 2), "height": height // 2})
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width} at 200 %"


def test_everything_has_a_name_and_is_reached_by_the_keyboard(open_page):
    with service() as running:
        fail(running, 2)
        page = live(open_page(link(running)))
        expect(page.locator(".failure")).to_have_count(2)
        unnamed = page.evaluate("""[...document.querySelectorAll("button, input, select, summary, img, [role=region], progress")]
          .filter((element) => element.checkVisibility())
          .filter((element) => !(element.ariaLabel || element.labels?.length || element.textContent.trim() || element.alt
            || element.getAttribute("aria-labelledby"))).map((element) => element.outerHTML)""")
        assert unnamed == []
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((heading) => Number(heading.tagName[1]))")
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels
        reached = []
        page.evaluate("document.activeElement.blur()")
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.textContent"))
            if reached[-1] == "Plan":
                break
        assert reached[0] == "Sign out" and reached[-1] == "Plan"
        assert [word for word in reached if word in ("Retry", "Drop")] == ["Retry", "Drop"] * 2

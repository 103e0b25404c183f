"""The gallery in a real browser."""

import contextlib
import json

from playwright.sync_api import Error

from harness import waiting
from harness.waiting import eventually

PATIENCE = 1000 * waiting.PATIENCE  # In milliseconds, for Playwright.
# A name or a text that could run as a script, or reverse the text beside it.
HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'&"


def until(page, what, condition):
    """Returns the condition's first true value, while the page continues.

    A page that is being replaced has no value; the condition is then that of the next page.
    """
    def value():
        try:
            return condition()
        except Error as error:
            if "Execution context was destroyed" not in error.message:
                raise
            return None

    return eventually(what, value, patience=PATIENCE / 1000, pause=lambda seconds: page.wait_for_timeout(seconds * 1000))


def wait(page, condition, *arguments):
    """Waits until an expression is true in the page, whose policy prevents Playwright's own waiting."""
    return until(page, condition, lambda: page.evaluate(condition, *arguments))


# The first post of a list that is not above the screen.
PLACE = """(() => {
    const card = [...document.querySelectorAll("post-feed article:not(.gone)")].find((card) => card.getBoundingClientRect().bottom > 100);
    return card ? [card.dataset.id, Math.round(card.getBoundingClientRect().top)] : null;
})()"""


def seeded(running, count):
    """Publishes this many posts, the oldest first, with the photos of a few files; returns their ids."""
    photos = ["photo.jpg", "rotation-6.jpg", "size-640x480.jpg", "profile-p3.jpg"]
    first = [running.publish(f"Number {number}", photo) for number, photo in enumerate(photos)]
    models = [running.owner(f"/posts/{post}.json") for post in first]
    ids = first + [f"-Seed{number:015}" for number in range(len(first), count)]
    for start in range(len(first), count, 100):
        update = {}
        for number, id in enumerate(ids[start:start + 100], start):
            model = {key: value for key, value in models[number * 7 % len(models)].items() if key not in ("published", "client_ref")}
            update[id] = {**model, "text": f"Number {number}", "timestamp": 1763000000000 + number * 60_000}
        body = running.folder / "update.json"
        body.write_text(json.dumps(update))
        running.owner("/posts.json?print=silent", "-X", "PATCH", "-d", f"@{body}")
    return ids


@contextlib.contextmanager
def opened(browser, running, path, person=None, script=None, **options):
    """A page of a signed-in person; fails if one of its scripts fails."""
    context = browser.new_context(base_url=running.url, **{"locale": "en-US", **options})
    context.set_default_timeout(PATIENCE)
    if person:
        context.add_init_script(
            f"if (!sessionStorage.begun) {{ sessionStorage.begun = '1'; localStorage['tintype.session'] = {json.dumps(person.session(running))}; }}")
    if script:
        context.add_init_script(script)
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(error.stack or str(error)))
    # Scripts or styles that the page's policy blocks.
    page.on("console", lambda message: faults.append(message.text) if "Content Security Policy" in message.text or "TrustedHTML" in message.text else None)
    page.goto(path)
    yield page
    context.close()
    assert faults == [], faults

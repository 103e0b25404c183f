"""Takes the README's pictures of the gallery: make_pictures.py PHOTO…; see Scripts/make-pictures."""

import os
import pathlib
import sys
from urllib.parse import quote

from gallery import opened, wait
from playwright.sync_api import sync_playwright
from service import ROOT, service

TEXTS = [
    "In front of the house, freshly washed #red", "Stone by stone #norway", "First of the year #garden",
    "On the way home #city", "A new desk", "Along the hedge #garden", "The tree behind the mill #spring",
    "The evening before #norway",
]
COMMENTS = [("Anna Öberg", "Did you build it yourself?"), ("Maria Lind", "I added the last one."), ("Jan Vermeer", "Fine sky.")]
DESKTOP, PHONE = {"width": 1200, "height": 750}, {"width": 390, "height": 844}

# All photos in sight are there.
LOADED = """[...document.images].every((image) =>
    image.getBoundingClientRect().top > innerHeight || image.complete && image.naturalWidth > 1)"""


def publish(running, people, photos):
    """Publishes the photos, the first one last; returns the ids of the posts in the order of the photos."""
    ids = []
    for number, photo in reversed(list(enumerate(photos))):
        query = f"/v1/uploads?text={quote(TEXTS[number % len(TEXTS)])}"
        author = people[number % len(people)]
        ids.insert(0, running.ask(query, body=pathlib.Path(photo).read_bytes(), person=author)["post_id"])
    return ids


def picture(browser, running, name, path, person, viewport, **options):
    """Takes a picture of a page once its photos are there."""
    with opened(browser, running, path, person, viewport=viewport, **options) as page:
        page.wait_for_load_state("networkidle")
        wait(page, LOADED)
        page.screenshot(path=ROOT / f"Documentation/{name}.jpg", type="jpeg", quality=82)


def main(photos):
    with service() as running, sync_playwright() as playwright:
        maria, anna, jan = people = [running.person(name) for name in ("Maria Lind", "Anna Öberg", "Jan Vermeer")]
        ids = publish(running, people, photos)
        for follower in (anna, jan):
            running.ask(f"/v1/people/{follower.uid}/following/{maria.uid}", "PUT", {}, follower)
            for post in ids[:4]:
                running.ask(f"/v1/posts/{post}/likes/{follower.uid}", "PUT", {}, follower)
        for name, text in COMMENTS:
            author = next(person for person in people if person.name == name)
            running.ask(f"/v1/posts/{ids[1]}/comments", body={"text": text}, person=author)
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        picture(browser, running, "gallery", "/all", maria, DESKTOP)
        picture(browser, running, "viewer", f"/posts/{ids[1]}", maria, DESKTOP)
        picture(browser, running, "phone", "/all", maria, PHONE, color_scheme="dark", device_scale_factor=1)
        browser.close()


main(sys.argv[1:])

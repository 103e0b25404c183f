"""Takes the README's pictures of the gallery: make_pictures.py PHOTO…; see Scripts/make-pictures."""

import json
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
COMMENTS = [("Jan Vermeer", "Did you build it yourself?"), ("Anna Öberg", "I added the last one."), ("Maria Lind", "Fine sky.")]
WIDE, DESKTOP, PHONE = ({"width": width, "height": height} for width, height in ((1200, 490), (1200, 750), (390, 844)))

# The list is shown, and all photos in sight have arrived and stand still.
LISTED = """!document.getAnimations().length && document.querySelectorAll("post-feed article img").length >= 6 && [...document.images].every((image) =>
    image.getBoundingClientRect().top > innerHeight || image.complete && image.naturalWidth > 1)"""
# The viewer shows the photo in a large rendition, and the comments beside it.
VIEWED = f"""!document.getAnimations().length && document.querySelector(".stage img")?.naturalWidth >= 600
    && document.body.textContent.includes({json.dumps(COMMENTS[-1][1])})"""


def publish(running, people, photos):
    """Publishes the photos, the first one last; returns the ids of the posts in the order of the photos."""
    ids = []
    for number, photo in reversed(list(enumerate(photos))):
        query = f"/v1/uploads?text={quote(TEXTS[number % len(TEXTS)])}"
        author = people[number % len(people)]
        ids.insert(0, running.ask(query, body=pathlib.Path(photo).read_bytes(), person=author)["post_id"])
    return ids


def picture(browser, running, name, person, viewport, post=None, **options):
    """Takes a picture of the list of all posts, or of the viewer with a post."""
    with opened(browser, running, "/all", person, viewport=viewport, **options) as page:
        wait(page, LISTED)
        if post:
            page.locator(f"post-feed article[data-id='{post}'] a.photo").first.click()
            wait(page, VIEWED)
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
        picture(browser, running, "gallery", maria, WIDE)
        picture(browser, running, "viewer", maria, DESKTOP, post=ids[1])
        picture(browser, running, "phone", maria, PHONE, color_scheme="dark")
        browser.close()


main(sys.argv[1:])

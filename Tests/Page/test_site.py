"""Tests the name, the colour, the icon and the links that an operator gives to the service, in a browser."""

import json

from gallery import opened, until, wait
from playwright.sync_api import expect
from service import ROOT, service

NAME = 'Fotoclub "Lindenau" <b>e.V.</b>'
OPTIONS = ["--name", NAME, "--accent-color", "#ffdd00", "--icon", str(ROOT / "Fixtures/photo.jpg"),
           "--imprint-url", "https://club.example/imprint", "--terms-url", "/terms"]


def luminance(color):
    parts = [int(part) / 255 for part in color.removeprefix("rgb(").removesuffix(")").split(",")]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def manifest_of(page):
    """Returns the manifest as the browser reads it."""
    answer = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert answer["errors"] == [], answer
    assert answer["url"].endswith("/manifest.webmanifest")
    return json.loads(answer["data"])


def test_the_browser_reads_the_manifest_without_errors_and_its_icons_have_their_sizes(browser):
    for options, name in [([], "Tintype"), (OPTIONS, NAME)]:
        with service(*options) as running, opened(browser, running, "/all") as page:
            manifest = manifest_of(page)
            assert manifest["name"] == name and manifest["display"] == "standalone"
            assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
            for icon in manifest["icons"]:
                size = page.evaluate("""async (source) => {
                    const image = Object.assign(new Image(), { src: source });
                    await image.decode();
                    return `${image.naturalWidth}x${image.naturalHeight}`;
                }""", icon["src"])
                assert size == icon["sizes"], icon


def test_the_name_is_text_in_the_head_and_in_the_titles_of_all_views(browser):
    with service(*OPTIONS) as running:
        maria = running.person("Maria Lind")
        post = running.post(maria, "Morning")
        with opened(browser, running, "/all") as page:
            expect(page.locator(".brand")).to_have_text(NAME)
            assert page.title() == NAME
            wait(page, "document.getElementById('tools').childElementCount > 0")
            page.locator("post-feed a.author").first.click()
            until(page, "the person's title", lambda: page.title() == f"Maria Lind · {NAME}")
            page.goto(f"/posts/{post}")
            assert page.title() == f"Morning · {NAME}"
        with opened(browser, running, "/ops") as page:
            until(page, "the title", lambda: page.title() == f"Operations · {NAME}")


def test_links_can_be_read_in_the_chosen_color_on_light_and_dark_backgrounds(browser):
    with service(*OPTIONS) as running:
        for scheme in ("light", "dark"):
            with opened(browser, running, "/nowhere", color_scheme=scheme) as page:
                color = page.locator("#site-links a").first.evaluate("(link) => getComputedStyle(link).color")
                paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
                assert contrast(color, paper) >= 4.5, (scheme, color, paper)
                assert color not in ("rgb(138, 90, 43)", "rgb(217, 163, 106)"), "the usual colours"


def test_the_imprint_and_the_terms_are_in_the_foot_in_the_form_for_signing_up_and_in_the_menu(browser):
    with service(*OPTIONS) as running:
        maria = running.person("Maria Lind")
        with opened(browser, running, "/all") as page:
            foot = page.locator("#site-links")
            expect(foot.get_by_role("link", name="Imprint")).to_have_attribute("href", "https://club.example/imprint")
            expect(foot.get_by_role("link", name="Terms")).to_have_attribute("href", "/terms")
            page.locator("#tools .account").click()
            dialog = page.get_by_role("dialog", name="Your account")
            dialog.get_by_role("tab", name="Sign up").click()
            expect(dialog.get_by_role("link", name="Terms")).to_have_attribute("target", "_blank")
            expect(dialog.get_by_role("link", name="Privacy")).to_have_count(0)
        with opened(browser, running, "/all", maria) as page:
            page.locator("#tools .account").click()
            expect(page.get_by_role("menuitem", name="Imprint")).to_have_attribute("href", "https://club.example/imprint")


def test_a_long_name_leaves_room_for_the_tools_on_a_phone(browser):
    with service("--name", "W" * 60) as running, opened(browser, running, "/all", viewport={"width": 390, "height": 844}) as page:
        wait(page, "document.getElementById('tools').childElementCount > 0")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        brand, account = page.locator(".brand").bounding_box(), page.locator("#tools .account").bounding_box()
        assert brand["x"] + brand["width"] <= account["x"] and abs(brand["y"] - account["y"]) < 40


def test_the_page_of_links_in_messages_is_in_the_language_of_the_service(browser):
    with service(*OPTIONS, "--language", "de") as running, opened(browser, running, "/account?mode=other") as page:
        expect(page.get_by_role("heading", name="Dein Konto")).to_be_visible()
        expect(page.get_by_role("status")).to_have_text("Dieser Link ist für eine App: Öffne ihn dort.")
        assert page.title() == f"Dein Konto · {NAME}"

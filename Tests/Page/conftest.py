"""Fixtures that the tests of pages share."""

import importlib.util
import os
import pathlib

import pytest
from gallery import PATIENCE
from playwright.sync_api import expect, sync_playwright
from service import service

expect.set_options(timeout=PATIENCE)

# One family for all text, on every machine, since a machine's own fonts would change the looks of a page.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
    <dir>{files}</dir>
    <cachedir>{cache}</cachedir>
    <match><edit name="family" mode="assign" binding="strong"><string>Roboto</string></edit></match>
</fontconfig>
"""


@pytest.fixture(scope="session")
def fonts(tmp_path_factory):
    """The file that tells a browser the available fonts: only those of the package font-roboto."""
    folder = tmp_path_factory.mktemp("fonts")
    files = pathlib.Path(importlib.util.find_spec("font_roboto").origin).parent / "files"
    configuration = folder / "fonts.conf"
    configuration.write_text(FONTS.format(files=files, cache=folder / "cache"))
    return configuration


@pytest.fixture(scope="session")
def browser(fonts):
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"],
            env={**os.environ, "FONTCONFIG_FILE": str(fonts)})
        yield browser
        browser.close()


@pytest.fixture
def running():
    """A test's own service."""
    with service() as running:
        yield running

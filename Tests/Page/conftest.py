"""What the tests of pages share."""

import os

import pytest
from gallery import PATIENCE
from playwright.sync_api import expect, sync_playwright

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        yield browser
        browser.close()

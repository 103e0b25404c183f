"""Compares the links and hashtags that the page finds in texts with the service's; Tests/ModelTests reads the same file."""

import json

from gallery import opened
from service import ROOT, service


def test_texts_have_the_hashtags_and_addresses_that_the_service_finds(browser):
    samples = json.loads((ROOT / "Fixtures/texts.json").read_text())
    with service() as running, opened(browser, running, "/all") as page:
        found = page.evaluate("""async (texts) => {
            const { tagsOf, addressesOf } = await import("/page/text.js");
            return texts.map((text) => ({ text, tags: tagsOf(text), links: addressesOf(text).map(({ href }) => href) }));
        }""", [sample["text"] for sample in samples])
    assert found == [{"links": [], **sample} for sample in samples]

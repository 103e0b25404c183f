"""The built service, on a port, with accounts of its own."""

import os

import pytest
from pages import browser, origin, page  # noqa: F401

from harness.ports import free_port
from harness.service import Service


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """A running service; `address` is where it listens."""
    port = free_port()
    service = Service(os.environ["TINTYPE"], tmp_path_factory.mktemp("service") / "Storage",
                      ["--listen", f"127.0.0.1:{port}", "--emulator"])
    service.address = ("127.0.0.1", port)
    assert service.start(), service.log.read_text()
    yield service
    service.kill()


@pytest.fixture(params=[True, False], ids=["an allowed origin", "another origin"])
def judged_tab(request, browser, origin, tmp_path):
    """A page beside a service of its own that allows the page's origin, or does not (`is_allowed`)."""
    port = free_port()
    options = ["--listen", f"127.0.0.1:{port}", *(["--allowed-origins", origin] if request.param else [])]
    service = Service(os.environ["TINTYPE"], tmp_path / "Storage", options)
    assert service.start()
    tab = browser.open(origin)
    try:
        tab.wait("typeof Client === 'function'")
        tab.host, tab.is_allowed = f"127.0.0.1:{port}", request.param
        yield tab
    finally:
        tab.close()
        service.kill()

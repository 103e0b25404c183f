"""The built service, on a port, with its own accounts."""

import os

import pytest
from pages import browser, origin, page  # noqa: F401
from transports import SecureAddress, make_certificate

from harness.ports import free_port
from harness.service import Service


@pytest.fixture(scope="session")
def service(request, tmp_path_factory):
    """A running service, plain or, with the mark `over_both`, with TLS; `address` is its address."""
    port, folder = free_port(), tmp_path_factory.mktemp("service")
    address, options = ("127.0.0.1", port), ["--listen", f"127.0.0.1:{port}", "--emulator"]
    if getattr(request, "param", "plain") == "TLS":
        certificate, key = make_certificate(folder, "127.0.0.1")
        address = SecureAddress("127.0.0.1", port, certificate)
        options += ["--tls-certificate", str(certificate), "--tls-key", str(key)]
    service = Service(os.environ["TINTYPE"], folder / "Storage", options)
    service.address = address
    assert service.start(), service.log.read_text()
    yield service
    service.kill()


@pytest.fixture(params=[True, False], ids=["an allowed origin", "another origin"])
def judged_tab(request, browser, origin, tmp_path):
    """A page beside its own service that allows the page's origin, or does not (`is_allowed`)."""
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

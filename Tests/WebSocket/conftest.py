"""The built service, on a port, with accounts of its own."""

import os
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Reliability"))

from pages import browser, origin, page  # noqa: E402, F401
from service import Service  # noqa: E402
from ws_model import free_port  # noqa: E402


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

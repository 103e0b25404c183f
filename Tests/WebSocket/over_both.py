"""The mark of tests that run with a plain service and with a TLS service."""

import pytest

over_both = pytest.mark.parametrize("service", ["plain", "TLS"], indirect=True, scope="session")

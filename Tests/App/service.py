"""The built service, over TLS, in its own network. It may be killed, and started again with its data."""

import json
import os
import pathlib
import ssl
import subprocess
import urllib.request

from certificates import Authority

from harness.service import Service
from harness.waiting import PATIENCE, eventually

PHOTO = pathlib.Path(__file__).resolve().parents[2] / "Fixtures/photo.jpg"
TINTYPE = os.environ["TINTYPE"]


class SecureService(Service):
    """The service of an app, at `url`."""

    def __init__(self, folder, network, **settings):
        folder.mkdir(exist_ok=True)
        super().__init__(TINTYPE, folder / "Storage", log_level="info")
        self.network = network
        self.authority = Authority(folder)
        self.url = f"https://{network.service_name}:{network.service_port}".removesuffix(":443")
        self.trust = ssl.create_default_context(cafile=str(self.authority.certificate))
        certificate, key = self.authority.issue("service", network.service_name, network.service_address)
        self.storage.mkdir()
        (self.storage / "tintype.json").write_text(json.dumps({
            "listen": f"{network.service_address}:{network.service_port}", "public-url": self.url,
            "sign-up": "email anonymous",
            "tls-certificate": str(certificate), "tls-key": str(key), **settings}))

    def spawn(self, command, log, environment):
        return self.network.start_service(command, log, environment)

    def start(self, **variables):
        """Starts it, with these variables in its environment."""
        assert super().start(environment=variables), self.said()
        eventually("both of its addresses", lambda: self.said().count("listening") == 2 or not self.is_running, self.said)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def tintype(self, *words, typed=None):
        """Returns the output of a command."""
        return subprocess.run(
            [TINTYPE, *words, "--storage", str(self.storage)], check=True, text=True, input=typed,
            stdout=subprocess.PIPE).stdout.strip()

    def ask(self, path, method="GET", body=None, **headers):
        request = urllib.request.Request(self.url + path, method=method, headers=headers, data=body)
        return urllib.request.urlopen(request, context=self.trust, timeout=PATIENCE)

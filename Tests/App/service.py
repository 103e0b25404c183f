"""The built service, over TLS, in a network of its own. It may be killed, and started again with what it had."""

import json
import os
import pathlib
import ssl
import subprocess
import urllib.request

from certificates import Authority
from networks import PATIENCE, eventually

PHOTO = pathlib.Path(__file__).resolve().parents[2] / "Fixtures/photo.jpg"
TINTYPE = os.environ["TINTYPE"]


class Service:
    def __init__(self, folder, network, **settings):
        folder.mkdir(exist_ok=True)
        self.network, self.storage, self.log = network, folder / "Storage", folder / "log"
        self.authority = Authority(folder)
        self.url = f"https://{network.service_name}:{network.service_port}".removesuffix(":443")
        self.trust = ssl.create_default_context(cafile=str(self.authority.certificate))
        certificate, key = self.authority.issue("service", network.service_name, network.service_address)
        self.storage.mkdir()
        (self.storage / "tintype.json").write_text(json.dumps({
            "listen": f"{network.service_address}:{network.service_port}", "public-url": self.url,
            "tls-certificate": str(certificate), "tls-key": str(key), **settings}))

    def start(self, *variables):
        """Starts the service, with these variables (NAME=VALUE) in its environment."""
        with open(self.log, "w") as output:
            self.process = self.network.start_service(
                ["env", *variables, TINTYPE, "serve", "--storage", str(self.storage)], output)
        eventually("the service", lambda: self.log.read_text().count("listening") == 2 or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise SystemExit(f"the service ended: {self.log.read_text()}")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def tintype(self, *words, typed=None):
        """What a command prints."""
        return subprocess.run(
            [TINTYPE, *words, "--storage", str(self.storage)], check=True, text=True, input=typed,
            stdout=subprocess.PIPE).stdout.strip()

    def ask(self, path, method="GET", body=None, **headers):
        request = urllib.request.Request(self.url + path, method=method, headers=headers, data=body)
        return urllib.request.urlopen(request, context=self.trust, timeout=PATIENCE)

"""A test's own certificate authority, created with openssl."""

import pathlib
import subprocess

LEAF = """basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth
authorityKeyIdentifier = keyid
"""


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Authority:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.certificate, self.key = self.folder / "authority.pem", self.folder / "authority.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 2, "-subj", "/CN=An authority of Tintype's tests",
                "-addext", "keyUsage = critical, keyCertSign", "-keyout", self.key, "-out", self.certificate)

    def issue(self, label, name, address):
        """Writes the files of a new certificate for that name and address, and of its key; they replace older ones."""
        certificate, key, request = (self.folder / f"{label}.{kind}" for kind in ("pem", "key", "request"))
        extensions = self.folder / "extensions"
        extensions.write_text(f"{LEAF}subjectAltName = DNS:{name}, IP:{address}\n")
        # Files in use are replaced by renaming, as programs that renew certificates do.
        fresh = certificate.with_suffix(".new"), key.with_suffix(".newkey")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", fresh[1], "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial", "-days", 2,
                "-extfile", extensions, "-out", fresh[0])
        fresh[1].rename(key)
        fresh[0].rename(certificate)
        return certificate, key

    def is_trusted_by_chromium(self, home):
        """Makes a Chromium with this home trust this authority."""
        store = pathlib.Path(home) / ".pki/nssdb"
        store.mkdir(parents=True)
        for words in (["-N", "--empty-password"], ["-A", "-n", "tests", "-t", "C,,", "-i", str(self.certificate)]):
            subprocess.run(["certutil", "-d", f"sql:{store}", *words], check=True, capture_output=True)

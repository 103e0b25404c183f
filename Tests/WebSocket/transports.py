"""Addresses of plain and encrypted connections, and the connections to them."""

import http.client
import os
import socket
import ssl
import subprocess

from harness.waiting import PATIENCE


class SecureAddress(tuple):
    """A host and a port with TLS, whose certificate `context` trusts."""

    def __new__(cls, host, port, certificate):
        address = super().__new__(cls, (host, port))
        address.context = ssl.create_default_context(cafile=certificate)
        return address


def make_certificate(folder, host):
    """Creates a self-signed certificate for a numeric host, and its key: two files in PEM."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={host}",
         "-addext", f"subjectAltName=IP:{host}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


def dial(address):
    """Returns a connected socket; the address is a host and a port, encrypted or not, or the path of a Unix socket."""
    if isinstance(address, tuple):
        connection = socket.create_connection(address, PATIENCE)
        if isinstance(address, SecureAddress):
            return address.context.wrap_socket(connection, server_hostname=address[0])
        return connection
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(PATIENCE)
    # A socket's path has at most 107 bytes.
    connection.connect(os.path.relpath(address))
    return connection


def http_connection(address):
    """Returns a connection for HTTP to a host and a port."""
    if isinstance(address, SecureAddress):
        return http.client.HTTPSConnection(*address, timeout=PATIENCE, context=address.context)
    return http.client.HTTPConnection(*address, timeout=PATIENCE)

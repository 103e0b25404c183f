"""A headless Chromium, driven by its debugging protocol (chromedevtools.github.io/devtools-protocol)."""

import json
import os
import pathlib
import subprocess
import tempfile
import urllib.request

import websocket

from harness.waiting import PATIENCE, eventually


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="tintype-browser-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [os.environ["CHROMIUM"], "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={self.profile.name}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = pathlib.Path(self.profile.name) / "DevToolsActivePort"
        eventually("the browser", lambda: port_file.exists() and port_file.read_text().count("\n"))
        self.address = f"http://127.0.0.1:{port_file.read_text().splitlines()[0]}"

    def open(self, url):
        request = urllib.request.Request(f"{self.address}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request) as answer:
            return Tab(json.load(answer), url)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()


class Tab:
    def __init__(self, target, url):
        self.socket = websocket.create_connection(target["webSocketDebuggerUrl"], timeout=PATIENCE)
        self.count = 0
        self.faults = []
        self.call("Runtime.enable")
        self.call("Page.enable")
        self.call("Page.navigate", url=url)

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "Runtime.exceptionThrown":
                self.faults.append(message["params"]["exceptionDetails"]["text"])
            if message.get("id") == self.count:
                return message["result"]

    def value(self, script):
        """Returns the value of the script's last expression; null when it throws, as it may while the page loads."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    def wait(self, script):
        return eventually(script, lambda: self.value(script))

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def close(self):
        self.call("Page.close")
        self.socket.close()

"""Checks Examples/Monitoring: promtool reads the configuration, and tries each alert; every metric and label that an expression
of an alert or of the dashboard names is one of a running service.

Run by Scripts/test-monitoring, which sets TINTYPE and PROMTOOL.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from harness.pages import blocks
from harness.ports import free_port
from harness.service import Service
from harness.waiting import eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Examples/Monitoring"
# The labels that Prometheus adds, and the metric of its own.
ADDED = {"instance", "job"}
OWN = {"up": set()}
# The words of the query language that are neither metrics nor functions.
WORDS = {"by", "without", "and", "or", "unless", "on", "ignoring", "group_left", "group_right", "offset", "bool"}
failures = 0


def check(what, holds, detail=""):
    global failures
    print(f"  {'ok    ' if holds else 'BROKEN'}  {what}" + ("" if holds else f": {detail}"), flush=True)
    failures += not holds


def promtool(*words, folder=EXAMPLES):
    done = subprocess.run([os.environ["PROMTOOL"], *words], cwd=folder, capture_output=True, text=True)
    check("promtool " + " ".join(words), done.returncode == 0, done.stdout + done.stderr)


def check_page(folder):
    """The configuration that the page shows is valid."""
    shown = [block for block in blocks("Documentation/Operations.md") if block.suite == "test-monitoring"]
    check("the page has a configuration", bool(shown) and all(block.language == "yaml" for block in shown), shown)
    for block in shown:
        (folder / "page.yml").write_text(block.text)
        promtool("check", "config", "page.yml", folder=folder)
        check("the page's Prometheus asks for the metrics", "metrics_path: /v1/metrics\n" in block.text, block.text)


def alerts():
    """Returns the expressions of the alerts by name. promtool has checked the form of the file, so that lines suffice."""
    found = {}
    text = (EXAMPLES / "alerts.yml").read_text()
    for name, line, block in re.findall(r"- alert: (\w+)\n +expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", text):
        found[name] = line or block
    check("each alert has an expression", len(found) == text.count("- alert:"), found.keys())
    return found


def panels():
    """Returns the expressions of the dashboard by the titles of their panels."""
    board = json.loads((EXAMPLES / "dashboard.json").read_text())
    found = {}
    for panel in board["panels"]:
        place = panel["gridPos"]
        check(f"“{panel['title']}” is on the screen, and has a unit",
              place["x"] + place["w"] <= 24 and place["y"] + place["h"] <= 24 and panel["fieldConfig"]["defaults"]["unit"], place)
        for number, target in enumerate(panel["targets"]):
            found[f"{panel['title']} {number}"] = target["expr"]
    for note in board["annotations"]["list"]:
        found[note["name"]] = note["expr"]
    check("the panels have ids of their own", len({panel["id"] for panel in board["panels"]}) == len(board["panels"]))
    return found


def selectors(expression):
    """Returns the metrics of an expression, each with its labels and the values that are demanded (None for a pattern), and the
    labels by which it aggregates."""
    text = re.sub(r"\[[^]]*\]", "", expression)
    grouped = r"\b(?:by|without) \(([^)]*)\)"
    labels = {label for names in re.findall(grouped, text) for label in re.split(r",\s*", names)}
    metrics = []
    for name, braces, call in re.findall(r"([a-z_]\w*)\s*(?:(\{[^}]*\})|(\())?", re.sub(grouped, "", text)):
        if not call and name not in WORDS:
            pairs = re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"', braces)
            metrics.append((name, {label: value if sign == "=" else None for label, sign, value in pairs}))
    return metrics, labels


def base(name, families):
    """Returns the name of the metric to which a series belongs."""
    stem = re.sub(r"_(bucket|sum|count)$", "", name)
    return name if name in families else stem


def scrape(service):
    """Returns the labels of each metric of a service, each with its values, by the metric's name."""
    status, text = service.request("GET", "/v1/metrics")
    check("the service answers with its metrics", status == 200, text)
    families = {}
    for line in text.decode().splitlines():
        if line.startswith("# TYPE "):
            families[line.split()[2]] = {}
        elif not line.startswith("#"):
            name, labels = re.fullmatch(r"(\w+)(?:\{(.*)\})? \S+", line).groups()
            family = families[base(name, families)]
            for label, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""):
                family.setdefault(label, set()).add(value)
    return families


def compare(what, expression, families):
    metrics, grouped = selectors(expression)
    check(f"{what} names a metric", bool(metrics), expression)
    known = set(ADDED) | {"le"}
    for name, labels in metrics:
        family = OWN.get(name, families.get(base(name, families)))
        if family is None:
            check(f"{what}: {name} is a metric", False, expression)
            continue
        known |= set(family)
        for label, value in labels.items():
            if label in ADDED:
                continue
            check(f"{what}: {name} has the label {label}" + (f" with {value}" if value is not None else ""),
                  label in family and (value is None or value in family[label]), family)
    check(f"{what}: it groups by labels of its metrics", grouped <= known, grouped - known)


def certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"], check=True, capture_output=True)
    return ["--tls-certificate", str(folder / "certificate.pem"), "--tls-key", str(folder / "key.pem")]


def used(service, folder):
    """Uses a service once in each way that has metrics."""
    photo = (ROOT / "Fixtures/photo.jpg").read_bytes()
    check("a photo is posted", service.upload(photo, "maria", "one")[0] == 201)
    (service.storage / "inbox/maria").mkdir(parents=True)
    (service.storage / "inbox/maria/words.jpg").write_text("words")
    eventually("the file to fail", lambda: list(service.storage.glob("failed/*/maria/*.reason.json")))
    for words in (["backup", str(folder / "backups")], ["store", "check"]):
        done = subprocess.run([service.binary, *words, "--storage", str(service.storage)], capture_output=True, text=True)
        check(f"tintype {words[0]}", done.returncode == 0, done.stderr)


def main():
    promtool("check", "config", "prometheus.yml")
    promtool("check", "rules", "alerts.yml")
    with tempfile.TemporaryDirectory(prefix="tintype-monitoring-") as name:
        folder = pathlib.Path(name)
        check_page(folder)
        # The texts for people are checked above; each would have to be repeated for the tests.
        rules = (EXAMPLES / "alerts.yml").read_text()
        (folder / "alerts.yml").write_text(re.sub(r"^ {8}annotations:\n(?: {10}.*\n)+", "", rules, flags=re.M))
        tests = (ROOT / "Tests/Monitoring/alerts-test.yml").read_text()
        (folder / "alerts-test.yml").write_text(tests)
        promtool("test", "rules", "alerts-test.yml", folder=folder)
        expressions = alerts()
        for alert in expressions:
            check(f"{alert} has a test in which it fires, and one in which it is quiet",
                  f"{alert} fires" in tests and f"{alert} is quiet" in tests)
        options = ["--listen", f"127.0.0.1:{free_port()}", *certificate(folder)]
        service = Service(os.environ["TINTYPE"], folder / "Storage", options)
        if not service.start():
            sys.exit(f"the service does not start: {service.said()}")
        try:
            used(service, folder)
            families = scrape(service)
        finally:
            service.stop()
        for what, expression in {**expressions, **panels()}.items():
            compare(what, expression, families)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

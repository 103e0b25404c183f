"""Reads the service's metrics with Prometheus's own library."""

import os

import requests
from prometheus_client.parser import text_string_to_metric_families

ADDRESS = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]


def test_metrics(rest):
    rest("put", "a", json=1).raise_for_status()
    answer = requests.get(f"http://{ADDRESS}/v1/metrics", timeout=30)
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    assert all(family.documentation for family in families.values())
    assert {family.type for family in families.values()} == {"counter", "gauge", "histogram"}
    # The library omits the suffix of a counter's name.
    labels = {"method": "PUT", "route": "database", "status": "200"}
    assert any(sample.labels == labels and sample.value >= 1 for sample in families["tintype_http_requests"].samples)
    samples = families["tintype_tree_sync_seconds"].samples
    counts = {sample.labels.get("le", sample.name): sample.value for sample in samples}
    assert counts["+Inf"] == counts["tintype_tree_sync_seconds_count"] >= 1
    assert counts["tintype_tree_sync_seconds_sum"] > 0

"""`/status/`, `/readyz` and the API show what the probe of a worker's sandbox proved, and what it did not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from evaluator.sandbox import ProbeRow, ProbeTable
from submissions.models import Worker
from submissions.proof import proof
from tests.pages.cast import worker
from tests.pages.markup import faults

pytestmark = pytest.mark.django_db
ROWS = (
    ProbeRow("ptrace", "seccomp", "cannot trace processes", True, "Operation not permitted", "could trace processes"),
    ProbeRow("tcp_connect", "network_namespace", "cannot connect to a port of this host", False, "connected", "could reach PostgreSQL"),
    ProbeRow("layer:cgroup", "cgroup", "active", None, "unavailable: not mounted", "memory is watched by the judge"),
)


def proven(table: ProbeTable) -> Worker:
    found = worker()
    found.sandbox = {"seccomp": "active", "probe": proof(table, datetime.now(UTC))}
    found.save()
    return found


def test_the_status_page_shows_each_layer_and_what_its_absence_means(client: Client) -> None:
    proven(ProbeTable("best-effort", "degraded", ROWS, {"seccomp": "active"}))

    page = client.get("/status/").content.decode()

    assert not faults(page)
    for said in ("degraded", "KB_SANDBOX=best-effort", "cannot trace processes", "network namespace", "not so", "could reach PostgreSQL"):
        assert said in page
    assert "memory is watched by the judge" in page
    assert "could trace processes" not in page


def test_a_probe_that_could_not_run_says_why(client: Client) -> None:
    proven(ProbeTable("strict", "degraded", (), error="user namespaces are not allowed <here>"))

    page = client.get("/status/").content.decode()

    assert not faults(page)
    assert "user namespaces are not allowed &lt;here&gt;" in page


@pytest.mark.parametrize("probe", ["?", {}, {"at": "yesterday", "table": []}, {"at": "2026-11-21T12:00:00+00:00", "table": "?"}])
def test_a_proof_that_cannot_be_read_does_not_break_the_page(client: Client, probe: object) -> None:
    found = worker()
    found.sandbox = {"seccomp": "active", "probe": probe}
    found.save()

    assert client.get("/status/").status_code == 200


def test_readyz_and_the_api_tell_layers_and_proof_apart(client: Client) -> None:
    proven(ProbeTable("best-effort", "degraded", ROWS, {"seccomp": "active"}))

    for found in (client.get("/readyz").json()["workers"][0], client.get("/api/v1/status").json()["workers"][0]):
        assert found["sandbox"] == {"seccomp": "active"}
        assert found["probe"]["overall"] == "degraded"
        assert [failure["consequence"] for failure in found["probe"]["failures"]] == ["could reach PostgreSQL"]

"""The probe's table as a worker's row keeps it: proven only where an attempt was refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evaluator.contract import JSON
from evaluator.sandbox import ProbeRow, ProbeTable, probe
from submissions.proof import apart, in_words, proof

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
REFUSED = ProbeRow("internet_socket", "seccomp", "can make only Unix sockets", True, "only Unix sockets", "open sockets")
ALLOWED = ProbeRow("ptrace", "seccomp", "cannot trace processes", False, "traced", "could trace processes")
SECCOMP = ProbeRow("layer:seccomp", "seccomp", "active", True, "active", "every system call")
IPC = ProbeRow("layer:ipc_namespace", "ipc_namespace", "active", True, "active", "shared memory")
CGROUP = ProbeRow("layer:cgroup", "cgroup", "active", None, "unavailable: not mounted", "memory is watched")


def line(layer: str, *rows: ProbeRow) -> dict[str, JSON]:
    table = proof(ProbeTable("best-effort", "degraded", rows), AT)["table"]
    assert isinstance(table, list)
    return next(row for row in table if isinstance(row, dict) and row["layer"] == layer)


def test_a_layer_whose_attempts_were_refused_is_proven() -> None:
    assert line("seccomp", REFUSED, SECCOMP) == {
        "layer": "seccomp",
        "wanted": "can make only Unix sockets",
        "proven": True,
        "detail": "",
        "consequence": "",
    }


def test_one_attempt_that_was_not_refused_disproves_its_layer() -> None:
    found = line("seccomp", REFUSED, ALLOWED, SECCOMP)

    assert (found["proven"], found["detail"], found["consequence"]) == (False, "traced", "could trace processes")


def test_a_layer_that_nothing_tried_is_not_called_proven() -> None:
    found = line("ipc_namespace", IPC)

    assert (found["proven"], found["detail"], found["consequence"]) == (None, "active", "")


def test_an_optional_layer_that_is_not_there_tells_what_that_means() -> None:
    found = line("cgroup", CGROUP)

    assert (found["proven"], found["detail"], found["consequence"]) == (None, "unavailable: not mounted", "memory is watched")


def test_what_failed_is_told_in_words() -> None:
    degraded = ProbeTable("strict", "degraded", (REFUSED, ALLOWED))

    assert in_words(degraded) == "seccomp is not so: cannot trace processes (traced)"
    assert in_words(ProbeTable("strict", "degraded", (), error="no user namespaces")) == "no user namespaces"
    assert in_words(ProbeTable("strict", "enforcing", (REFUSED,))) == ""


def test_the_real_probe_of_this_host() -> None:
    found = proof(probe("best-effort"), AT)

    assert found["overall"] in ("enforcing", "degraded")
    assert found["at"] == "2026-11-21T12:00:00+00:00"
    assert (found["failures"] == []) is (found["overall"] == "enforcing" or bool(found["error"]))


def test_a_sandbox_that_is_off_proves_nothing() -> None:
    found = proof(probe("off"), AT)

    assert found["overall"] == "off"
    assert isinstance(found["table"], list)
    assert not any(row["proven"] for row in found["table"] if isinstance(row, dict))


@pytest.mark.parametrize("given", [{}, {"seccomp": "active"}, {"seccomp": "active", "probe": "what?"}])
def test_rows_of_older_workers_have_no_proof(given: dict[str, object]) -> None:
    layers, found = apart(given)

    assert (found, "probe" in layers) == ({}, False)

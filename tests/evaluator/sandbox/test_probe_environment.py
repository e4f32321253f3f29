"""The probe's row about the worker's environment: only what leaked counts, not what the sandbox itself sets."""

from __future__ import annotations

import os

import pytest

from evaluator.sandbox import probe
from evaluator.sandbox.environment import names, own
from evaluator.sandbox.inside import probe as inside
from evaluator.sandbox.probe import _fingerprints


def test_names_that_the_sandbox_sets_itself_are_no_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/somewhere/else")
    for name, value in own("/box").items():
        if name not in ("PATH", "TMPDIR", "HOME", "TORCHINDUCTOR_CACHE_DIR"):
            monkeypatch.setenv(name, value)

    row = next(row for row in probe("best-effort").rows if row.name == "see_worker_environment")

    assert row.proven is True, row.detail


def test_an_inherited_variable_is_named_and_its_value_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AAA_PASSWORD", "hunter2=x")
    question = _fingerprints(names(None))

    held, detail = inside._cannot_read_environment(question)

    assert not held
    assert "AAA_PASSWORD" in detail
    assert "hunter2" not in detail + str(question)


def test_the_same_name_with_another_value_is_no_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - {"KB_SECRET"}:
        monkeypatch.delenv(name)
    monkeypatch.setenv("KB_SECRET", "the worker's")
    question = _fingerprints(names(None))
    monkeypatch.setenv("KB_SECRET", "another")

    held, detail = inside._cannot_read_environment(question)

    # This process may read its own first environment in /proc, which holds no KB_SECRET.
    assert held, detail

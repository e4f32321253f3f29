"""What the judge's clock makes of a quad's commands, on times that are written here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.judge.audit import Audit, AuditResult, Commanded, audited
from evaluator.timing.stats import ratio_estimate

BESIDE_US = 80.0
NOISE = st.lists(st.floats(0, 50_000), min_size=5, max_size=5)


def command(calls_us: float, claimed_us: float | None = None, disturbed_us: float = 0.0) -> Commanded:
    """One command of five calls that took `calls_us` in all, of a process that says `claimed_us`."""
    total = calls_us if claimed_us is None else claimed_us
    seen = calls_us + BESIDE_US + disturbed_us
    return Commanded(total / 5, total, seen, seen)


def audit(
    baseline_us: float, candidate_us: float, claimed_us: float | None = None, *, disturbed: list[float] | None = None
) -> AuditResult | None:
    """Five quads; `disturbed` lengthens the baseline's commands beside its calls."""
    a, b = command(baseline_us), command(candidate_us, claimed_us)
    audits = [Audit((command(baseline_us, disturbed_us=extra), a), (b, b)) for extra in disturbed or [0.0] * 5]
    return audited(audits, ratio_estimate([a.total_us / b.total_us] * 5), "cpu")


@pytest.mark.parametrize("faster", [0.2, 1.0, 3.0, 10.0])
def test_honest_clock(faster: float) -> None:
    result = audit(4000, 4000 / faster)

    assert result is not None
    assert result.estimate.median == pytest.approx(faster)
    assert not result.disagrees


@pytest.mark.parametrize("claims", [2.0, 10.0, 1000.0])
def test_forged_clock(claims: float) -> None:
    result = audit(4000, 4000, 4000 / claims)

    assert result is not None
    assert result.disagrees
    assert result.estimate.median == pytest.approx(1)


@given(NOISE.filter(lambda noise: sorted(noise)[1] < 100))
def test_disturbed_baseline_does_not_hide_a_forgery(noise: list[float]) -> None:
    """Commands that somebody else's work made longer, in three quads of five, say nothing about the candidate."""
    result = audit(4000, 4000, 4, disturbed=noise)

    assert result is not None
    assert result.disagrees


def test_short_commands_do_not_count_as_audited() -> None:
    assert audit(500, 400) is None


def test_short_commands_still_contradict_a_forged_clock() -> None:
    result = audit(500, 500, 0.5)

    assert result is not None
    assert result.disagrees


def test_a_claim_below_what_a_sandbox_may_cost_does_not_count_as_audited() -> None:
    assert audit(4000, 150, 0.5) is None

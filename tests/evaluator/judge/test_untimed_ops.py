"""Ops without performance cases are checked like any other, and never timed or ranked."""

from __future__ import annotations

from evaluator.contract import EvaluationRequest, Event, KernelType, Mode, Outcome, Verdict
from evaluator.feedback import feedback
from evaluator.jsonable import JSON
from evaluator.judge.judge import Judge
from evaluator.report import event_line
from tests.evaluator.judge.conftest import LIMITS

DOCUMENT: dict[str, JSON] = {
    "format": 1,
    "slug": "mine/cumsum",
    "title": "cumsum",
    "signature": "cumsum(Tensor self, int dim) -> Tensor",
    "target": "torch.cumsum",
    "entry_point": "cumsum",
    "suites": ["mine"],
    "dtypes": ["float32"],
    "cases": [{"name": "rows", "kind": "correctness", "args": [{"tensor": {"shape": [9, 7], "dtype": "float32"}}, 1]}],
}
GOOD = "def cumsum(x, dim):\n    return x.cumsum(dim)\n"


def judged(judge: Judge, mode: Mode) -> tuple[Outcome, list[Event]]:
    events: list[Event] = []
    request = EvaluationRequest("mine/cumsum", GOOD, KernelType.TORCH, "cpu", mode, limits=LIMITS, definition=DOCUMENT)
    return judge.evaluate(request, emit=events.append), events


def test_benchmark_checks_and_says_that_nothing_was_timed(judge: Judge) -> None:
    outcome, events = judged(judge, Mode.BENCHMARK)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert outcome.correctness_score == 1
    assert outcome.timing is None
    assert event_line(events[-1]) == (
        "note: mine/cumsum has no performance case for cpu, so it is checked and not timed: hand it in with mode test"
    )
    assert "the op has no performance case on this device" in feedback(outcome)


def test_ranked_is_refused_before_anything_runs(judge: Judge) -> None:
    outcome, _ = judged(judge, Mode.RANKED)

    assert outcome.verdict is Verdict.REJECTED
    assert outcome.reasons[0].code == "no_performance_case"
    assert outcome.cases == ()

"""One judge for all tests of this folder: whatever one submission did to it, the next one meets it as it is then."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from evaluator.contract import EvaluationRequest, KernelType, Limits, Mode, Outcome, Verdict
from evaluator.judge.judge import Judge
from evaluator.sandbox.tree import descendants
from tests.evaluator.judge.kernels import GOOD

LIMITS = Limits(build_s=60, import_s=60, check_s=60, timing_case_s=0.3)

Judged = Callable[..., Outcome]


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    judge = Judge("cpu")
    yield judge
    judge.close()


@pytest.fixture
def evaluate(judge: Judge) -> Judged:
    """`evaluate(source, op="relu", mode=Mode.TEST, limits=…, seed=…, **options of Judge.evaluate)`."""

    def evaluate(
        source: str, op: str = "relu", *, mode: Mode = Mode.TEST, limits: Limits = LIMITS, seed: int | None = None, **options: object
    ) -> Outcome:
        request = EvaluationRequest(op, source, KernelType.TORCH, "cpu", mode, seed=seed, limits=limits)
        return judge.evaluate(request, **options)  # type: ignore[arg-type]

    return evaluate


@pytest.fixture(scope="module")
def good_in_the_end(judge: Judge) -> Iterator[None]:
    """For files whose submissions are no more than wrong: after all of them the judge accepts a good kernel."""
    yield
    outcome = judge.evaluate(EvaluationRequest("relu", GOOD, KernelType.TORCH, "cpu", Mode.TEST, limits=LIMITS))
    assert (outcome.verdict, outcome.flags) == (Verdict.ACCEPTED, ()), (outcome.reasons, outcome.log)


@pytest.fixture
def judged(judge: Judge, evaluate: Judged) -> Judged:
    """As `evaluate`; then the same judge must accept a good kernel, and nothing that was started may be left."""

    def judged(source: str, op: str = "relu", **options: object) -> Outcome:
        judge.close()  # a baseline or spare of an earlier test is not this one's
        before = set(descendants(os.getpid()))
        outcome = evaluate(source, op, **options)
        judge.close()
        found = set(descendants(os.getpid())) - before
        of_others = {pid for other in before for pid in descendants(other)}  # a site that other tests share goes on meanwhile
        assert not (found - of_others).intersection(descendants(os.getpid())), "something is left of the submission"

        next_one = evaluate(GOOD)
        assert next_one.verdict is Verdict.ACCEPTED, (next_one.reasons, next_one.log)
        assert next_one.flags == ()
        return outcome

    return judged

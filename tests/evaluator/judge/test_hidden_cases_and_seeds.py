"""Public cases can be repeated; hidden ones say that they failed and nothing of what they are."""

from __future__ import annotations

import pytest

from evaluator.contract import Event, Flag, Outcome, Verdict, dumps
from evaluator.ops.registry import get
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import GOOD, relu

PUBLIC = {case.tensors[0].shape for case in get("relu").correctness_cases("cpu")}
KNOWN = f"import torch\nPUBLIC = {PUBLIC!r}"
OFF = relu("y = torch.relu(x)\nif y.numel() > 100:\n    y.reshape(-1)[::7] += 1\nreturn y")


@pytest.mark.parametrize(
    ("wrong", "verdict"),
    [
        ("torch.zeros(x.shape)", Verdict.WRONG_RESULT),
        ("torch.zeros((*x.shape, 2))", Verdict.WRONG_SHAPE),
        ("int('shape ' + str(tuple(x.shape)))", Verdict.RUNTIME_ERROR),
    ],
    ids=["wrong values", "wrong shape", "raises with the shape"],
)
def test_hidden_cases_tell_nothing_of_their_shapes(judged: Judged, wrong: str, verdict: Verdict) -> None:
    events: list[Event] = []

    outcome = judged(relu(f"return torch.relu(x) if tuple(x.shape) in PUBLIC else {wrong}", KNOWN), emit=events.append)

    hidden = [case for case in outcome.cases if case.hidden]
    assert outcome.verdict is verdict
    assert len(hidden) == 3
    for case in hidden:
        assert not case.passed
        assert case.inputs == "hidden"
        assert (case.seed, case.mismatches, case.reproduce, case.mismatch_share) == (None, (), "", None)
        assert not any(character.isdigit() for character in case.reason)
    assert "shape [" not in outcome.reasons[0].message
    assert "shape (" not in dumps(outcome)
    assert [event.data["inputs"] for event in events if event.kind == "case" and event.data["hidden"]] == ["hidden"] * 3


def test_passed_hidden_cases_tell_nothing_either(evaluate: Judged) -> None:
    outcome = evaluate(GOOD)

    hidden = [case for case in outcome.cases if case.hidden]
    assert len(hidden) == 3
    assert {(case.passed, case.inputs, case.seed, case.reproduce) for case in hidden} == {(True, "hidden", None, "")}


def public_figures(outcome: Outcome) -> list[object]:
    return [(c.name, c.seed, c.max_abs, c.rel_l2, c.mismatch_share, c.mismatches) for c in outcome.cases if not c.hidden]


def test_a_seed_repeats_the_inputs(evaluate: Judged) -> None:
    first = evaluate(OFF)
    again = evaluate(OFF, seed=first.seed)
    other = evaluate(OFF)

    assert first.verdict is again.verdict is other.verdict is Verdict.WRONG_RESULT
    assert first.seed is not None
    assert first.seed == again.seed != other.seed
    assert public_figures(first) == public_figures(again) != public_figures(other)


def test_one_case_can_be_repeated_alone(evaluate: Judged) -> None:
    whole = evaluate(OFF, seed=11)
    alone = evaluate(OFF, seed=11, only_case="plain")

    assert [case.name for case in alone.cases] == ["plain"]
    assert alone.cases[0] == whole.cases[0]
    assert not alone.cases[0].passed


def test_case_that_is_none_lists_those_that_are(evaluate: Judged) -> None:
    outcome = evaluate(GOOD, only_case="nope")

    assert outcome.verdict is Verdict.REJECTED
    assert "plain" in outcome.reasons[0].message


def test_nondeterministic_kernel_is_flagged(judged: Judged) -> None:
    outcome = judged(relu("y = torch.relu(x)\nreturn (y * (1 + 3e-7 * torch.rand(x.shape))).to(x.dtype)"))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert outcome.flags == (Flag.NONDETERMINISTIC,)

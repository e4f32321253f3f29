"""Ops with rules of their own, and random ops: what rules refuse is refused, numbers that come again are found, honest chance passes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import pytest
import torch

from evaluator.contract import Policy, Verdict
from evaluator.judge.comparing import Comparer
from evaluator.judge.inputs import InputSet
from evaluator.judge.looking import Looker
from evaluator.judge.peer import InfrastructureError
from evaluator.judge.repeats import Fingerprints
from evaluator.ops.arguments import correctness, performance, tensor
from evaluator.ops.definition import Call, Op
from evaluator.ops.registry import get
from tests.evaluator.judge.in_process import Kernel, checked

CASE = correctness("plain", tensor(40, 25))
HIDDEN = dataclasses.replace(CASE, hidden=True)


def one_of_the_largest(call: Call) -> str:
    (x,), index = call.args, call.got[0]
    assert isinstance(x, torch.Tensor)
    inside = (index >= 0) & (index < x.shape[1])
    chosen = x.gather(1, index.clamp(0, x.shape[1] - 1).unsqueeze(1)).squeeze(1)
    wrong = ~inside | (chosen != call.expected[1].to(x.dtype))
    return f"{int(wrong.sum())} rows name no largest element" if bool(wrong.any()) else ""


def broken_rule(call: Call) -> str:
    raise KeyError("no such thing")


def between_0_and_1(call: Call) -> str:
    (got,) = call.got
    return "" if bool(((got >= 0) & (got < 1)).all()) else "numbers lie outside [0, 1)"


def last_largest(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.shape[1] - 1 - x.flip(1).argmax(1), x.amax(1)


TIES = dataclasses.replace(
    get("relu"), reference=lambda x: (x.argmax(1), x.amax(1)), rules={0: one_of_the_largest}, hidden_cases=lambda pick, device: []
)
UNIFORM = dataclasses.replace(get("relu"), reference=torch.rand_like, random=True, rules={0: between_0_and_1})
EQUAL = dataclasses.replace(CASE, args=(tensor(40, 25, generator="constant_rows"),))


def test_a_returned_structure_that_goes_on_and_on_is_shown_in_part() -> None:
    result, _ = checked(get("relu"), lambda x: (torch.relu(x), [[None] * 60] * 50), CASE)

    assert result.verdict is Verdict.WRONG_SHAPE
    assert result.reason.startswith("the call returned (Tensor, ((None, None,") and result.reason.endswith("…, expected Tensor")
    assert len(result.reason) < 3000


def test_a_rule_takes_what_differs_from_torch() -> None:
    result, _ = checked(TIES, last_largest, EQUAL)
    without_rule, _ = checked(dataclasses.replace(TIES, rules={}), last_largest, EQUAL)

    assert result.passed, result.reason
    assert without_rule.reason.startswith("output 0: 40 of 40 elements are wrong (100 %); first at [0]: expected 0, got 24")


def test_a_rule_refuses_in_its_own_words_and_hidden_cases_hide_them() -> None:
    kernel: Kernel = lambda x: (x.argmin(1), x.amax(1))  # noqa: E731

    open_case, _ = checked(TIES, kernel, CASE)
    hidden_case, _ = checked(TIES, kernel, HIDDEN)

    assert (open_case.verdict, open_case.reason) == (Verdict.WRONG_RESULT, "output 0: 40 rows name no largest element")
    assert hidden_case.verdict is Verdict.WRONG_RESULT
    assert "rows" not in hidden_case.reason


def test_the_other_outputs_are_compared_as_ever() -> None:
    result, _ = checked(TIES, lambda x: (x.argmax(1), x.amax(1) + 1), CASE)

    assert result.reason.startswith("output 1: 40 of 40 elements are wrong")


def test_a_rule_that_raises_is_our_fault_and_is_named() -> None:
    with pytest.raises(InfrastructureError, match=r"op relu: rule broken_rule of output 0 failed: KeyError: 'no such thing'"):
        checked(dataclasses.replace(TIES, rules={0: broken_rule}), last_largest, CASE)


def test_a_rule_that_gives_no_words_is_our_fault() -> None:
    with pytest.raises(InfrastructureError, match="of output 0 gave bool, expected a str"):
        checked(dataclasses.replace(TIES, rules={0: lambda call: True}), last_largest, CASE)  # type: ignore[dict-item]


def with_seed(seed: Callable[[torch.Tensor], int]) -> Kernel:
    return lambda x: torch.rand(x.shape, generator=torch.Generator().manual_seed(seed(x)))


def test_fresh_numbers_pass() -> None:
    counter = itertools.count()

    assert checked(UNIFORM, torch.rand_like, CASE)[0].passed
    result, checker = checked(UNIFORM, with_seed(lambda x: next(counter)), CASE)

    assert result.passed, result.reason
    assert not checker.nondeterministic


@pytest.mark.parametrize(
    "seed",
    [lambda x: 7, lambda x: x.data_ptr() % 2**31, lambda x: int(x.double().sum() * 1e6)],
    ids=["one seed", "the address", "the data"],
)
def test_numbers_that_come_again_are_wrong(seed: Callable[[torch.Tensor], int]) -> None:
    result, _ = checked(UNIFORM, with_seed(seed), CASE)
    hidden, _ = checked(UNIFORM, with_seed(seed), HIDDEN)

    assert result.verdict is Verdict.WRONG_RESULT
    assert result.reason == "output 0: the same random numbers twice, in calls with the same inputs"
    assert "random" not in hidden.reason


def test_a_random_op_still_has_its_rule() -> None:
    result, _ = checked(UNIFORM, torch.randn_like, CASE)

    assert result.reason == "output 0: numbers lie outside [0, 1)"


@pytest.mark.parametrize("columns", [0, 1, 3])
def test_few_outcomes_repeat_by_chance(columns: int) -> None:
    coin = dataclasses.replace(UNIFORM, reference=lambda x: torch.bernoulli(torch.full_like(x, 0.5)), rules={0: lambda call: ""})

    for seed in range(5):
        assert checked(coin, lambda x: torch.bernoulli(torch.full_like(x, 0.5)), correctness("few", tensor(columns)), seed=seed)[0].passed


def timed_call(op: Op, case_inputs: InputSet) -> list[torch.Tensor]:
    args, kwargs = case_inputs.arguments()
    out = op.reference(*args, **kwargs)
    return [out] if isinstance(out, torch.Tensor) else list(out)


def test_numbers_drawn_beforehand_are_found_in_timed_calls() -> None:
    prints = Fingerprints()
    pool = [torch.rand(1000) for _ in range(10)]

    found = [
        prints.repeated([[pool[(4 * command + call) % 10]] for call in range(4)], [[torch.rand(1000)] for _ in range(4)])
        for command in range(10)
    ]

    assert found[:6] == [None] * 6
    assert found[6:] == [0] * 4


def test_chance_that_repeats_torch_too_is_no_proof() -> None:
    prints = Fingerprints()

    for _ in range(50):
        theirs, ours = ([[torch.bernoulli(torch.full((2,), 0.5))] for _ in range(4)] for _ in range(2))
        assert prints.repeated(theirs, ours) is None


def test_timed_calls_of_a_random_op_are_looked_at_by_its_rule() -> None:
    case = performance("timed", "made up", tensor(40, 25))
    looker = Looker(UNIFORM, case, Comparer(UNIFORM, "cpu"))
    looker.share = 0.0
    inputs = [InputSet(case, "cpu", seed) for seed in range(3)]
    ours = [timed_call(UNIFORM, each) for each in inputs]

    assert looker.wrong(inputs, [timed_call(UNIFORM, each) for each in inputs], ours) is None
    wrong = looker.wrong(inputs, [[out[0] + 1] for out in ours], ours)

    assert wrong is not None and wrong.reason == "output 0: numbers lie outside [0, 1)"


def test_timed_calls_of_an_exact_op_must_be_equal() -> None:
    case = performance("timed", "made up", tensor(40, 25))
    inputs = [InputSet(case, "cpu", 1)]
    ours = [timed_call(get("relu"), inputs[0])]
    off = [[ours[0][0].clone()]]
    off[0][0][3, 4] += 1e-7

    found = {}
    for compare in ("scaled", "exact"):
        op = dataclasses.replace(get("relu"), compare=compare)  # type: ignore[arg-type]
        looker = Looker(op, case, Comparer(op, "cpu"))
        looker.share = 0.0
        assert looker.wrong(inputs, ours, ours) is None
        found[compare] = looker.wrong(inputs, off, ours)

    assert found["scaled"] is None
    assert found["exact"] is not None and found["exact"].mismatches[0].index == (3, 4)


def test_the_policy_is_part_of_the_command_that_repeats_a_case() -> None:
    from tests.evaluator.judge.in_process import CALLS_A_CASE, Checker, candidate, new_block, room

    with candidate(lambda x: torch.relu(x) + 0.005) as peer:
        block = new_block("cpu", room(get("relu"), CASE, "cpu", CALLS_A_CASE))
        block.share(peer, "main", 30)
        results = {}
        for policy in Policy:
            checker = Checker(get("relu"), peer, block, "cpu", Comparer(get("relu"), "cpu", policy=policy))
            results[policy] = checker.check(CASE, 7, timeout_s=30, repeat=False)
        block.close()

    assert results[Policy.SCALED].verdict is Verdict.WRONG_RESULT
    assert results[Policy.SCALED].oracle == "float64"
    assert "--policy" not in results[Policy.SCALED].reproduce
    assert results[Policy.BACKENDBENCH].passed
    assert (results[Policy.BACKENDBENCH].tolerance, results[Policy.BACKENDBENCH].oracle) == (0.01, "")
    assert results[Policy.BACKENDBENCH].reproduce.endswith("--seed 7 --policy backendbench")

"""Ops that write to their arguments: the judge takes what stands there when the call returns, from the arguments that it gave."""

from __future__ import annotations

import torch

from evaluator.contract import Verdict
from evaluator.correctness import expected_meta
from evaluator.judge.blocks import new_block
from evaluator.judge.checking import room
from evaluator.judge.inputs import InputSet, places
from evaluator.ops.registry import get
from tests.evaluator.judge.in_process import candidate, checked

OP = get("kv_cache_write")
CASE = OP.correctness_cases("cpu")[0]


def test_the_reference_is_accepted() -> None:
    result, _ = checked(OP, OP.reference, CASE)

    assert result.passed


def test_what_is_written_one_call_later_is_not_there_in_time() -> None:
    waiting: list[tuple[object, ...]] = []

    def late(*args: object) -> None:
        if waiting:
            OP.reference(*waiting.pop())
        waiting.append(args)

    result, _ = checked(OP, late, CASE)

    assert result.verdict is Verdict.WRONG_RESULT


def test_an_argument_that_points_elsewhere_has_not_been_written_to() -> None:
    def elsewhere(*args: torch.Tensor) -> None:
        copies = [tensor.clone() for tensor in args]
        OP.reference(*copies)
        for tensor, copy in zip(args, copies, strict=True):
            tensor.data = copy

    result, _ = checked(OP, elsewhere, CASE)

    assert result.verdict is Verdict.WRONG_RESULT


def test_a_timed_call_leaves_what_it_wrote_before_the_next_one() -> None:
    """Each of two timed calls writes for both: the second one's writes to the first one's arguments come too late."""
    seen: list[tuple[torch.Tensor, ...]] = []

    def both(*args: torch.Tensor) -> None:
        seen.append(args)
        if len(seen) == 2:
            for each in seen:
                OP.reference(*each)

    block = new_block("cpu", room(OP, CASE, "cpu", 2))
    where = places(OP, CASE, expected_meta(OP, CASE, "cpu"), 2, lambda: 0)
    sets = [InputSet(CASE, "cpu", seed) for seed in (1, 2)]
    with candidate(both) as peer:
        block.share(peer, "main", 30)
        peer.command({"cmd": "arm", "flush_bytes": 0, "calls": [place.describe("main") for place in where]}, timeout_s=30)
        for place, inputs in zip(where, sets, strict=True):
            place.write(block, inputs)
        peer.command({"cmd": "go"}, timeout_s=30)
        collected = peer.command({"cmd": "collect"}, timeout_s=30)
        left = [[view.clone() for view in place.read(block)] for place in where]
    seen.clear()

    assert collected["kept"] is True
    right = [list(one.arguments()[0]) for one in sets]
    for args in right:
        OP.reference(*args)
    caches = [[torch.as_tensor(args[number]) for number in OP.mutates] for args in right]
    assert not all(torch.equal(a, b) for a, b in zip(left[0], caches[0], strict=True))
    assert all(torch.equal(a, b) for a, b in zip(left[1], caches[1], strict=True))
    block.close()

"""Commands to a harness that runs in a thread of this process: the real protocol of timed calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

from evaluator.contract import Verdict
from evaluator.judge.blocks import Block, new_block
from evaluator.judge.checking import room
from evaluator.judge.failures import Ended
from evaluator.judge.inputs import InputSet
from evaluator.judge.peer import InfrastructureError, Peer, PeerBrokeProtocol
from evaluator.judge.quiet import measure
from evaluator.judge.sides import Commands, NotCapturedError, Side
from evaluator.ops.arguments import tensor
from evaluator.ops.definition import Case
from evaluator.ops.registry import get
from tests.evaluator.judge.in_process import Kernel, candidate

CALLS = 6
RELU = get("relu")
CASE = Case("any", "performance", (tensor(7, 11),))


@contextmanager
def side(kernel: Kernel = torch.relu, *, trusted: bool = False) -> Iterator[tuple[Commands, Side]]:
    with candidate(kernel) as peer, block(peer) as memory:
        commands = Commands(RELU, CASE, "cpu", 30)
        yield commands, commands.side((peer, memory), CALLS, trusted=trusted)


@contextmanager
def block(peer: Peer) -> Iterator[Block]:
    made = new_block("cpu", room(RELU, CASE, "cpu", CALLS))
    try:
        made.share(peer, "main", 30)
        yield made
        peer.command({"cmd": "unmap", "arena": "main"}, timeout_s=30)
    finally:
        made.close()


def inputs(count: int) -> list[InputSet]:
    return [InputSet(CASE, "cpu", number) for number in range(count)]


def test_every_call_has_inputs_and_outputs_of_its_own() -> None:
    with side() as (commands, ours):
        given = inputs(3)
        commanded = commands.give(ours, given)

        assert [len(call) for call in ours.outputs] == [1, 1, 1]
        for each, (out,) in zip(given, ours.outputs, strict=True):
            assert torch.equal(out, torch.relu(each.tensors[0]))
        assert len(ours.samples_us) == 3
        assert commanded.total_us == pytest.approx(3 * commanded.mean_us)
        assert commanded.wall_us >= commanded.total_us
        assert commanded.writing_us >= commanded.flushing_us


def test_what_events_count_is_taken_off_each_sample() -> None:
    with side() as (commands, ours):
        commands.overhead_us = 1e9  # of which no more is taken off than half of a sample
        commanded = commands.give(ours, inputs(1))

        assert commanded.mean_us == ours.samples_us[0] == pytest.approx(ours.host_us[0] / 2)


def test_calls_lie_elsewhere_in_each_command() -> None:
    seen: list[int] = []

    def remember(x: torch.Tensor) -> torch.Tensor:
        seen.append(x.data_ptr())
        return torch.relu(x)

    with side(remember) as (commands, ours):
        orders = set()
        for _ in range(12):
            seen.clear()
            commands.give(ours, inputs(CALLS))
            orders.add(tuple(seen))

    assert len(orders) > 1
    assert len({frozenset(order) for order in orders}) == 1


def test_a_side_that_cannot_be_captured_says_why_and_can_be_timed_call_by_call() -> None:
    with side() as (commands, ours):
        commands.graph = True
        with pytest.raises(NotCapturedError, match="only a GPU has graphs") as refused:
            commands.give(ours, inputs(2))
        assert not refused.value.trusted
        assert ours.captured is None

        commands.graph = False
        commands.give(ours, inputs(2))
        assert torch.equal(ours.outputs[1][0], torch.relu(inputs(2)[1].tensors[0]))


def test_a_graph_that_is_lost_is_a_broken_protocol() -> None:
    with side() as (commands, ours):
        commands.graph, ours.captured = True, (2, 99)

        with pytest.raises(Ended) as ended:
            commands.give(ours, inputs(2))

    assert isinstance(ended.value.__cause__, PeerBrokeProtocol)


def fails(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("no")


def test_who_fails_decides_whose_fault_it_is() -> None:
    with side(fails) as (commands, ours), pytest.raises(Ended) as ended:
        commands.give(ours, inputs(1))
    with side(fails, trusted=True) as (commands, theirs), pytest.raises(InfrastructureError, match="the baseline failed"):
        commands.give(theirs, inputs(1))

    assert ended.value.verdict is Verdict.RUNTIME_ERROR


def test_a_changed_input_is_seen() -> None:
    def overwrites(x: torch.Tensor) -> torch.Tensor:
        return x.relu_().clone()

    with side(overwrites) as (commands, ours), pytest.raises(Ended) as ended:
        commands.give(ours, inputs(2))

    assert ended.value.verdict is Verdict.INPUT_MUTATED


def test_short_calls_are_captured_where_nothing_else_is_known_and_in_vain_on_a_cpu() -> None:
    with candidate(torch.relu) as peer, block(peer) as memory:
        known, unknown = (measure(Commands(RELU, CASE, "cpu", 30), (peer, memory), CALLS, graph=graph) for graph in (False, None))

    assert not known.in_vain
    assert unknown.in_vain
    assert not unknown.graph
    assert 1 <= unknown.calls <= CALLS
    assert unknown.shortest_us > 0

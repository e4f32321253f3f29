"""Masks: those of an honest coin pass, those with a structure do not, and alarms are as rare as they claim to be."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.ops.definition import Call
from evaluator.ops.families.randomness import dropped_at_random, reference
from evaluator.ops.rules import chance
from evaluator.ops.rules.chance import FALSE_ALARM, GROUPS, limit, structure, surprise

Mask = Callable[[torch.Generator], torch.Tensor]
ROWS, COLUMNS = 64, 96


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def coins(draw: torch.Generator, *shape: int, p: float = 0.5) -> torch.Tensor:
    return torch.rand(shape, generator=draw, dtype=torch.float64) < p


def found(zero: torch.Tensor, p: float = 0.5, values: torch.Tensor | None = None) -> str:
    values = torch.randn(zero.shape, generator=generator(99)) if values is None else values
    return structure(zero, torch.ones_like(zero), values, p)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    p=st.sampled_from([0.004, 0.1, 0.5, 0.77, 0.99]),
    shape=st.sampled_from([(1,), (2,), (4099,), (64, 96), (1, 300), (300, 1), (3, 17, 41), (2, 1, 3, 50)]),
)
def test_honest_masks_pass(seed: int, p: float, shape: tuple[int, ...]) -> None:
    draw = generator(seed)
    zero, known = coins(draw, *shape, p=p), coins(draw, *shape, p=0.8)

    assert structure(zero & known, known, torch.randn(shape, generator=draw), p) == ""


def test_honest_masks_of_many_chunks_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "CHUNK", 64)
    monkeypatch.setattr(chance, "SEGMENT", 100)

    for seed in range(40):
        assert found(coins(generator(seed), ROWS, COLUMNS, p=0.3), 0.3) == ""


def one_row(draw: torch.Generator) -> torch.Tensor:
    zero = coins(draw, ROWS, COLUMNS)
    zero[17] = True
    return zero


def one_column(draw: torch.Generator) -> torch.Tensor:
    zero = coins(draw, ROWS, COLUMNS)
    zero[:, -1] = True
    return zero


def a_stretch(draw: torch.Generator) -> torch.Tensor:
    zero = coins(draw, ROWS * COLUMNS)
    zero[1000:1060] = False
    return zero.view(ROWS, COLUMNS)


def repeated(period: int) -> Mask:
    return lambda draw: coins(draw, period).repeat(ROWS * COLUMNS // period + 1)[: ROWS * COLUMNS].view(ROWS, COLUMNS)


STRUCTURED: dict[str, Mask] = {
    "nothing": lambda draw: torch.zeros(ROWS, COLUMNS, dtype=torch.bool),
    "everything": lambda draw: torch.ones(ROWS, COLUMNS, dtype=torch.bool),
    "another bias": lambda draw: coins(draw, ROWS, COLUMNS, p=0.4),
    "whole rows": lambda draw: coins(draw, ROWS, 1).expand(ROWS, COLUMNS),
    "whole columns": lambda draw: coins(draw, 1, COLUMNS).expand(ROWS, COLUMNS),
    "one row": one_row,
    "one column": one_column,
    "a stretch": a_stretch,
    "every other": repeated(2),
    "blocks of four": lambda draw: coins(draw, ROWS * COLUMNS // 4).repeat_interleave(4).view(ROWS, COLUMNS),
    "every 1000": repeated(1000),
    "every 2003": repeated(2003),
    "half again": repeated(ROWS * COLUMNS // 2),
    "quarters": lambda draw: coins(draw, ROWS, COLUMNS // 2).repeat(1, 2),
    "exactly half of each pair": lambda draw: torch.stack([c := coins(draw, ROWS, COLUMNS // 2), ~c], dim=-1).flatten(1),
}


@pytest.mark.parametrize("name", STRUCTURED)
def test_structure_is_found(name: str) -> None:
    for seed in range(5):
        assert found(STRUCTURED[name](generator(seed))) != ""


@pytest.mark.parametrize(("shape", "distance"), [((48, 97), 97), ((4, 12, 97), 12 * 97), ((48 * 97,), 1024)])
def test_repeats_beyond_a_chunk_are_found(monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], distance: int) -> None:
    monkeypatch.setattr(chance, "CHUNK", 64)

    zero = coins(generator(1), distance).repeat(-(-48 * 97 // distance))[: 48 * 97].view(shape)

    assert f"elements {distance} apart" in chance._pairs(zero, torch.ones_like(zero), 0.5)


def test_longest_runs_go_over_segments_and_unknown_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "SEGMENT", 4)
    zero = torch.tensor([1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0], dtype=torch.bool)
    known = torch.ones_like(zero)

    assert (chance._longest(zero, known, True), chance._longest(zero, known, False)) == (6, 4)
    known[8] = False
    assert chance._longest(zero, known, True) == 7
    assert chance._longest(zero[:0], known[:0], True) == 0


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 7, 60])
def test_the_bound_on_counts_holds(n: int, p: float) -> None:
    """Against the binomial distribution itself, for a false alarm that is common enough to be seen in it."""
    k = torch.arange(n + 1)
    chances = torch.tensor([math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)], dtype=torch.float64)

    for alarm in (0.5, 0.05, 1e-3, 1e-6):
        refused = surprise(k, torch.full_like(k, n), p) > math.log(2 / alarm)
        assert float(chances[refused].sum()) <= alarm


def test_the_groups_share_the_false_alarm() -> None:
    assert GROUPS * 7 * 2 * math.exp(-limit(7)) == pytest.approx(FALSE_ALARM)


def test_pairs_are_counted_as_they_are() -> None:
    draw = generator(3)
    zero, known = coins(draw, 201), coins(draw, 201, p=0.7)
    distances, differing, pairs = chance._near_pairs(zero & known, known)

    for place in (0, 1, 41, 99):
        d = distances[place]
        both = known[:-d] & known[d:]
        assert d == place + 1
        assert int(pairs[place]) == int(both.sum())
        assert int(differing[place]) == int(((zero[:-d] != zero[d:]) & both).sum())


def judged(x: torch.Tensor, got: torch.Tensor, p: float) -> str:
    return dropped_at_random(Call((x,), {"p": p}, (), (got,)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("p", [0.0, 0.03, 0.5, 0.95, 1.0])
def test_torch_drops_at_random(dtype: torch.dtype, p: float) -> None:
    x = torch.randn(63, 65, generator=generator(1)).to(dtype)

    assert judged(x, reference(x, p), p) == ""
    assert judged(x[:0], x[:0], p) == ""


def dropped(x: torch.Tensor, p: float = 0.5) -> torch.Tensor:
    """What a right kernel gives."""
    return torch.where(coins(generator(7), *x.shape, p=p), 0, x / (1 - p))


WRONG: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "not scaled": lambda x: dropped(x) / 2,
    "scaled in float16": lambda x: dropped(x).half().float(),
    "one element off": lambda x: dropped(x).index_put((torch.tensor(5), torch.tensor(6)), torch.tensor(9.0)),
    "NaN where dropped": lambda x: dropped(x) / dropped(x) * dropped(x),
    "of the neighbour": lambda x: dropped(x.roll(1, -1)),
    "zeros": torch.zeros_like,
    "the input": lambda x: x,
    "all kept": lambda x: x * 2,
    "dropped by sign": lambda x: x.relu() * 2,
    "dropped by magnitude": lambda x: torch.where(x.abs() < x.abs().median(), 0, 2 * x),
    "last row left out": lambda x: torch.cat((dropped(x)[:-1], torch.zeros(1, x.shape[1]))),
    "last column left out": lambda x: torch.cat((dropped(x)[:, :-1], torch.zeros(len(x), 1)), dim=1),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_dropouts_are_refused(name: str) -> None:
    x = torch.randn(64, 128, generator=generator(2))

    assert judged(x, dropped(x), 0.5) == ""
    assert judged(x, WRONG[name](x), 0.5) != ""


def test_elements_that_tell_nothing_are_let_be() -> None:
    x = torch.randn(64, 128, generator=generator(2))
    x[:, ::3], x[0, 1], x[1, 1], x[2, 1], x[3, 1] = 0.0, math.inf, math.nan, 1e-42, -math.inf
    got = dropped(x)
    got[0, 1], got[3, 1] = math.nan, 0.0

    assert judged(x, got, 0.5) == ""
    assert "neither 0 nor" in judged(x, torch.where(x == math.inf, 3.0, got), 0.5)


def test_without_chance_every_element_counts() -> None:
    x = torch.randn(9, 11, generator=generator(2))
    off = x.clone()
    off[3, 4] *= 1 + 1e-6

    assert judged(x, off, 0.0) == (
        f"1 of 99 elements are not the input, though p is 0; first at [3, 4]: input {x[3, 4].item():.9g}, got {off[3, 4].item():.9g}"
    )
    assert judged(x, off, 1.0).startswith("99 of 99 elements are not 0, though p is 1; first at [0, 0]")
    assert judged(x, torch.zeros_like(x), 1.0) == ""

"""Inputs: reproducible, independent of memory layout and chunking, and distributed as the specs say."""

from __future__ import annotations

import math
import typing

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import philox
from evaluator.generate import fill, storage_elements, view
from evaluator.ops.definition import Generator, TensorSpec

GENERATORS = typing.get_args(Generator)
FROZEN_NORMAL = [-0.5570704340934753, 0.3522985279560089, 0.695716917514801]
FROZEN_INTEGERS = [-1, 49, 28, 20, 25]
FLOATS = ("float32", "float16", "bfloat16", "float64")


def make(spec: TensorSpec, seed: int = 1, counter: int = 0) -> torch.Tensor:
    tensor = view(torch.empty(storage_elements(spec), dtype=getattr(torch, spec.dtype)), spec)
    fill(tensor, spec, seed, counter)
    return tensor


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8))


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "int32", "bool"])
def test_same_seed_and_counter_same_bits(generator: Generator, dtype: str) -> None:
    whole = {"permutation": 3000.0, "ascending": 3000.0, "integers": 9.0}
    spec = TensorSpec((37, 53), dtype, generator, 0.0, whole.get(generator, 1.0 if dtype in FLOATS else 9.0))

    first, again = make(spec, 5, 7), make(spec, 5, 7)
    other_seed, other_counter = make(spec, 6, 7), make(spec, 5, 8)

    assert same_bits(first, again)
    assert not same_bits(first, other_seed)
    assert not same_bits(first, other_counter)


def test_the_high_halves_of_seed_and_counter_count() -> None:
    spec = TensorSpec((64,))

    assert len({tuple(make(spec, seed, counter).tolist()) for seed in (1, 1 + 2**32) for counter in (3, 3 + 2**32)}) == 4


def test_first_values_are_philox_words() -> None:
    uniform = make(TensorSpec((4096,), generator="uniform"), seed=0x299F31D0A4093822, counter=9)

    words = philox.rounds(*(torch.tensor([word], dtype=torch.int64) for word in (0, 0, 9, 0)), 0xA4093822, 0x299F31D0)

    assert [uniform[1024 * index].item() for index in range(4)] == [(int(word) >> 8) / 2**24 for word in words]


def test_values_are_frozen() -> None:
    """These bits are in stored results: a change here changes what a seed reproduces."""
    normal = make(TensorSpec((8192,)), seed=42, counter=3)
    integers = make(TensorSpec((5,), "int64", "integers", -5, 100), seed=42, counter=3)

    assert normal[:3].tolist() == FROZEN_NORMAL
    assert integers.tolist() == FROZEN_INTEGERS


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40_000), st.sampled_from(["normal", "uniform", "special"]), st.sampled_from([1, 2, 32]))
def test_chunking_and_length_do_not_change_values(length: int, generator: Generator, tiles: int) -> None:
    longest = make(TensorSpec((40_000,), generator=generator))

    before = dict(philox.TILES_AT_ONCE)
    philox.TILES_AT_ONCE["cpu"] = tiles
    try:
        shorter = make(TensorSpec((length,), generator=generator))
    finally:
        philox.TILES_AT_ONCE.update(before)

    assert same_bits(shorter, longest[:length])


def test_strided_tensors_are_filled_through_their_storage() -> None:
    spec = TensorSpec((5, 7), strides=(16, 2))
    flat = torch.full((storage_elements(spec),), math.nan)

    fill(view(flat, spec), spec, 1, 0)

    assert flat.numel() == 4 * 16 + 6 * 2 + 1
    assert same_bits(flat, make(TensorSpec((flat.numel(),))))


def test_broadcast_strides_need_one_row() -> None:
    spec = TensorSpec((5, 7), strides=(0, 1))

    tensor = make(spec)

    assert storage_elements(spec) == 7
    assert (tensor == tensor[0]).all()


@pytest.mark.parametrize("shape", [(), (0,), (0, 7), (1,), (3, 0, 2)])
@pytest.mark.parametrize("generator", GENERATORS)
def test_tiny_shapes(shape: tuple[int, ...], generator: Generator) -> None:
    tensor = make(TensorSpec(shape, generator=generator))

    assert tuple(tensor.shape) == shape


def test_normal() -> None:
    values = make(TensorSpec((1 << 18,), low=2.0, high=3.0)).double()

    assert values.mean().item() == pytest.approx(2, abs=0.03)
    assert values.std().item() == pytest.approx(3, rel=0.01)
    assert (values - 2).abs().max().item() < 3 * 3.47
    within = ((values - 2).abs() < 3).double().mean().item()
    assert within == pytest.approx(0.6745, abs=0.01)


def test_normal_values_of_one_block_are_uncorrelated() -> None:
    tiles = make(TensorSpec((1 << 19,))).double().view(-1, 8, 1024).transpose(0, 1).reshape(8, -1)

    correlation = torch.corrcoef(tiles) - torch.eye(8)

    assert correlation.abs().max().item() < 0.02


def test_uniform() -> None:
    values = make(TensorSpec((1 << 18,), generator="uniform", low=-1.0, high=3.0))

    assert -1 <= values.min().item() < -0.999
    assert 2.999 < values.max().item() <= 3
    assert values.double().mean().item() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
def test_integers(dtype: str) -> None:
    values = make(TensorSpec((10_000,), dtype, "integers", -3, 5))

    assert sorted(values.unique().tolist()) == list(range(-3, 5))
    assert values.double().mean().item() == pytest.approx(0.5, abs=0.1)


def test_integers_refuse_an_empty_range() -> None:
    with pytest.raises(ValueError, match="low=3"):
        make(TensorSpec((4,), "int64", "integers", 3, 3))


def test_bool_is_a_fair_coin() -> None:
    assert make(TensorSpec((10_000,), "bool")).double().mean().item() == pytest.approx(0.5, abs=0.03)


def test_large_and_tiny_variance() -> None:
    large = make(TensorSpec((10_000,), generator="large")).double()
    steady = make(TensorSpec((10_000,), generator="tiny_variance", high=2.0)).double()

    assert large.std().item() == pytest.approx(10_000, rel=0.05)
    assert make(TensorSpec((10_000,), "float16", "large")).isfinite().all()
    assert (steady.mean().item(), steady.std().item()) == (pytest.approx(2, abs=1e-3), pytest.approx(2 / 128, rel=0.05))


@pytest.mark.parametrize("dtype", FLOATS)
def test_special(dtype: str) -> None:
    values = make(TensorSpec((40_000,), dtype, "special"))

    assert not values.isnan().any()
    assert values.isinf().double().mean().item() == pytest.approx(1 / 32, rel=0.2)
    assert (values == 0).logical_and(values.signbit()).any()
    assert (values.abs() == torch.finfo(torch.float32 if dtype == "float64" else values.dtype).tiny).any()


def test_constant_rows_and_sparse() -> None:
    rows = make(TensorSpec((9, 33), generator="constant_rows"))
    sparse = make(TensorSpec((40_000,), generator="sparse"))

    assert (rows == rows[:, :1]).all()
    assert len(rows[:, 0].unique()) == 9
    assert (sparse != 0).double().mean().item() == pytest.approx(1 / 8, rel=0.05)


def test_constant_rows_of_a_strided_tensor() -> None:
    rows = make(TensorSpec((9, 33), generator="constant_rows", strides=(70, 2)))

    assert (rows == rows[:, :1]).all()


def test_a_tensor_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="the spec says"):
        fill(torch.empty(3), TensorSpec((4,)), 1, 0)
    with pytest.raises(ValueError, match="needs 4 elements"):
        view(torch.empty(3), TensorSpec((4,)))

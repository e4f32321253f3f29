"""Writes beside a tensor are found and named; who stays inside is never accused."""

from __future__ import annotations

import ctypes
import dataclasses

import pytest
import torch
import triton.language as tl
from triton.runtime.interpreter import InterpretedFunction

from evaluator.contract import Verdict
from evaluator.judge.blocks import new_block
from evaluator.judge.comparing import first_reason
from evaluator.judge.guards import damage, poison
from evaluator.judge.inputs import InputSet, Place
from evaluator.ops.arguments import correctness, every_other, padded, tensor
from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.registry import get
from tests.evaluator.judge.in_process import checked

DOUBLE_IN_PLACE = dataclasses.replace(get("relu"), reference=lambda x: x.mul_(2), mutates=(0,), may_alias=True)
BLOCK = 64


def _double(x_ptr, n, MASKED: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if MASKED:
        tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)
    else:
        tl.store(x_ptr + at, tl.load(x_ptr + at) * 2)


def double_by_triton(x: torch.Tensor, *, masked: bool) -> torch.Tensor:
    InterpretedFunction(_double)[(-(-x.numel() // BLOCK),)](x, x.numel(), MASKED=masked, BLOCK=BLOCK)
    return x


def poke(tensor: torch.Tensor, offset: int, data: bytes) -> None:
    ctypes.memmove(tensor.data_ptr() + offset, data, len(data))


def relu_and(offset: int, data: bytes, *, only_above: float = -1.0) -> object:
    def kernel(x: torch.Tensor) -> torch.Tensor:
        poke(x, offset, data)
        return torch.relu(x)

    return kernel


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_kernel_without_masks_writes_past_the_end() -> None:
    case = correctness("odd", tensor(7, 9))

    result, _ = checked(DOUBLE_IN_PLACE, lambda x: double_by_triton(x, masked=False), case)

    assert result.verdict is Verdict.RUNTIME_ERROR
    assert result.reason == "the call wrote at least 1 byte past the end of input 0"  # of the NaN that it doubled
    reason = first_reason(result)
    assert (reason.code, reason.message) == ("out_of_bounds_write", f"case odd: {result.reason}")
    assert "Mask" in reason.hint


@pytest.mark.parametrize("shape", [(7, 9), (8, 16), (1,), (0, 3)])
def test_the_same_kernel_with_masks_does_not(shape: tuple[int, ...]) -> None:
    result, _ = checked(DOUBLE_IN_PLACE, lambda x: double_by_triton(x, masked=True), correctness("case", tensor(*shape)))

    assert result.passed, result.reason


@pytest.mark.parametrize(
    ("offset", "data", "words"),
    [
        (40, b"\0" * 12, "at least 12 bytes past the end of input 0"),
        (40 + 471, b"\0", "at least 1 byte past the end of input 0"),
        (-1, b"\0", "at least 1 byte before the start of input 0"),
        (-512, b"\0" * 512, "at least 512 bytes before the start of input 0"),
    ],
)
def test_bytes_beside_an_input(offset: int, data: bytes, words: str) -> None:
    result, _ = checked(get("relu"), relu_and(offset, data), correctness("ten", tensor(10)))  # type: ignore[arg-type]

    assert (result.verdict, result.reason) == (Verdict.RUNTIME_ERROR, f"the call wrote {words}")


@pytest.mark.parametrize("spec", [padded(5, 7, 3), every_other(5, 7)], ids=str)
def test_what_lies_between_the_elements_of_a_written_input(spec: TensorSpec) -> None:
    def everything(x: torch.Tensor) -> torch.Tensor:
        x.as_strided((1 + sum((n - 1) * step for n, step in zip(x.shape, x.stride(), strict=True)),), (1,)).mul_(2)
        return x

    careful, _ = checked(DOUBLE_IN_PLACE, lambda x: x.mul_(2), correctness("case", spec))
    careless, _ = checked(DOUBLE_IN_PLACE, everything, correctness("case", spec))

    assert careful.passed, careful.reason
    assert (careless.verdict, careless.code) == (Verdict.RUNTIME_ERROR, "out_of_bounds_write")
    assert careless.reason == "the call wrote between the elements of input 0, whose strides leave gaps"


def test_a_hidden_case_says_the_kind_of_fault_and_no_size() -> None:
    case = dataclasses.replace(correctness("secret", tensor(10)), hidden=True)

    result, _ = checked(get("relu"), relu_and(40, b"\0" * 12), case)  # type: ignore[arg-type]

    reason = first_reason(result)
    assert (result.verdict, reason.code) == (Verdict.RUNTIME_ERROR, "out_of_bounds_write")
    assert not any(character.isdigit() for character in reason.message + reason.hint)


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_every_byte_between_tensors_is_watched(dtype: str) -> None:
    case = Case("made_up", "correctness", (tensor(3, dtype=dtype), tensor(5, dtype="uint8"), tensor(0)))
    place = Place(case, [], 512)
    block = new_block("cpu", place.end)
    place.write(block, InputSet(case, "cpu", 1))
    poison(place.guards, block)
    whole = block.arena.flat(0, torch.uint8, place.end)
    missed = []

    for guard in place.guards:
        for at in range(guard.offset, guard.offset + guard.length):
            before = int(whole[at])
            whole[at] = before ^ 1
            if not damage(place.guards, block):
                missed.append(at)
            whole[at] = before

    assert not damage(place.guards, block)
    assert not missed
    inside = place.end - 512 - sum(guard.length for guard in place.guards)
    assert inside == 3 * getattr(torch, dtype).itemsize + 5
    block.close()


def test_a_value_read_past_the_end_is_not_a_number() -> None:
    op: Op = get("relu")
    case = correctness("ten", tensor(10))
    place = Place(case, [], 0)
    block = new_block("cpu", place.end)
    poison(place.guards, block)

    behind = block.arena.flat(place.inputs[0][0] + 40, torch.float32, 2)

    assert op.slug == "relu"
    assert behind.isnan().all()
    block.close()

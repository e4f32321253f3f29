"""The form of outputs: how many, and each one's shape, dtype, device and strides."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.contract import Verdict
from evaluator.ops.definition import Case, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class OutputMeta:
    """What is known of an output tensor without reading it. `dtype` as in `float32`, `device` as in `cuda:0`."""

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]
    device: str


def output_meta(tensor: torch.Tensor) -> OutputMeta:
    return OutputMeta(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), tuple(tensor.stride()), str(tensor.device))


@dataclass(frozen=True, slots=True)
class Form:
    """What a call of the reference returns: `structure` as in `T` or `(T, (T, -))`, and each tensor in it."""

    structure: str
    outputs: tuple[OutputMeta, ...]


def expected_form(op: Op, case: Case, device: str) -> Form:
    """The form that the reference gives, found on torch's `meta` device: no data, no memory."""
    import torch

    from evaluator.candidate.outputs import as_outputs

    def placeholder(spec: TensorSpec) -> torch.Tensor:
        dtype = getattr(torch, spec.dtype)
        if spec.strides is None:
            return torch.empty(spec.shape, dtype=dtype, device="meta")
        return torch.empty_strided(spec.shape, spec.strides, dtype=dtype, device="meta")

    args, kwargs = case.filled_in(placeholder)
    with torch.no_grad():
        tensors, structure = as_outputs(op.reference(*args, **kwargs))
    metas = (output_meta(typing.cast("torch.Tensor", out)) for out in tensors)
    return Form(structure, tuple(OutputMeta(meta.shape, meta.dtype, meta.strides, device) for meta in metas))


def expected_meta(op: Op, case: Case, device: str) -> tuple[OutputMeta, ...]:
    """The outputs' shapes, dtypes and strides as the reference gives them."""
    return expected_form(op, case, device).outputs


def check_metadata(op: Op, case: Case, expected: Sequence[OutputMeta], got: Sequence[OutputMeta]) -> tuple[Verdict, str] | None:
    """The first thing that is wrong with the outputs' form and a sentence for it; None when all is as it should be."""
    if len(got) != len(expected):
        return Verdict.WRONG_SHAPE, f"{len(got)} outputs were returned, expected {len(expected)}"
    pairs = list(enumerate(zip(expected, got, strict=True)))
    for index, (want, have) in pairs:
        if have.shape != want.shape:
            return Verdict.WRONG_SHAPE, f"output {index} has shape {list(have.shape)}, expected {list(want.shape)}"
    for index, (want, have) in pairs:
        if have.dtype != want.dtype:
            return Verdict.WRONG_DTYPE, f"output {index} has dtype {have.dtype}, expected {want.dtype}"
    for index, (want, have) in pairs:
        if have.device != want.device:
            return Verdict.WRONG_DEVICE, f"output {index} is on {have.device}, expected {want.device}"
    for index, (want, have) in pairs:
        wanted = _wanted_strides(op, want)
        if wanted is not None and not _same_layout(have.shape, have.strides, wanted):
            return Verdict.WRONG_STRIDES, f"output {index} has strides {list(have.strides)}, expected {list(wanted)}"
    return None


def _wanted_strides(op: Op, want: OutputMeta) -> tuple[int, ...] | None:
    from evaluator.generate import contiguous_strides

    if op.strides_policy == "any":
        return None
    return want.strides if op.strides_policy == "as_reference" else contiguous_strides(want.shape)


def _same_layout(shape: tuple[int, ...], have: tuple[int, ...], want: tuple[int, ...]) -> bool:
    """Strides of dimensions of size 1 say nothing, and nothing matters in an empty tensor."""
    if 0 in shape:
        return True
    return all(size == 1 or a == b for size, a, b in zip(shape, have, want, strict=True))

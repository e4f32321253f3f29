"""Wrong kernels, generated from an op's reference. Each is refused by some case of the op, or the op's cases are too weak."""

from __future__ import annotations

import functools
import itertools
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.registry import get
from evaluator.proving import edits
from evaluator.proving.arguments import misled
from evaluator.proving.calls import Edit, Kernel, replaced, tensors, with_inputs, with_outputs
from evaluator.proving.subject import Outputs, cases_of, outputs_of

if typing.TYPE_CHECKING:
    import torch

LOWER_PRECISION = "lower precision"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong kernel: `make()` gives the function that stands for a submission's entry point.

    `by_values`: it is wrong because of what its outputs hold; else because of what it does to its inputs or buffers, which is wrong
    even where the values are right.
    """

    name: str
    make: Callable[[], Kernel]
    by_values: bool = True

    @property
    def kind(self) -> str:
        """The name without what belongs to one op: the numbers of inputs and outputs, the names of arguments."""
        for ending in (" changed", " left out"):
            if self.name.endswith(ending) and self.by_values:
                return f"argument{ending}"
        return re.sub(r"( and)? \d+", "", self.name)


def mutants(op: Op, cases: Sequence[Case]) -> tuple[Mutant, ...]:
    """All that apply to an op with these cases."""
    outputs = [outputs_of(op, case) for case in cases]
    return (
        *_lazy(op, cases, len(outputs[0])),
        *_partial(op, outputs),
        *_misread(op, cases),
        *(Mutant(*each) for each in misled(op, cases)),
        *_ill_mannered(op, cases, outputs),
    )


def torch_itself(op: Op) -> Kernel:
    """The reference as a submission."""
    return with_outputs(op, lambda _outputs, _inputs: None)


def _edited(op: Op, name: str, make: Callable[[], Edit]) -> Mutant:
    return Mutant(name, lambda: with_outputs(op, make()))


def _lazy(op: Op, cases: Sequence[Case], outputs: int) -> list[Mutant]:
    found = [
        _edited(op, "zeros", lambda: edits.filled(0.0)),
        _edited(op, "ones", lambda: edits.filled(1.0)),
        _edited(op, "its mean", lambda: edits.mean),
        _edited(op, "the previous call's output", edits.previous),
    ]
    inputs = min(3, max((len(case.tensors) for case in cases), default=0))
    found += [_edited(op, f"copy of input {number}", functools.partial(edits.copy_of, number)) for number in range(inputs)]
    if outputs > 1:
        found += [
            _edited(op, f"zeros in output {number}", functools.partial(edits.only, number, edits.filled(0.0))) for number in range(outputs)
        ]
    return found


def _partial(op: Op, outputs: Sequence[Outputs]) -> list[Mutant]:
    deepest = max(len(shape) for each in outputs for shape, _dtype in each)
    found = [
        _edited(op, "first element off", functools.partial(edits.one_element, last=False)),
        _edited(op, "last element off", functools.partial(edits.one_element, last=True)),
    ]
    found += [
        _edited(op, f"last {what} dropped", functools.partial(edits.dropped, -n)) for n, what in ((1, "column"), (2, "row")) if deepest >= n
    ]
    if len(outputs[0]) > 1:
        off = edits.one_element(last=True)
        found += [_edited(op, f"last element off in output {n}", functools.partial(edits.only, n, off)) for n in range(len(outputs[0]))]
    return found


def _misread(op: Op, cases: Sequence[Case]) -> list[Mutant]:
    """Kernels that read their inputs wrongly."""
    found = []
    if any(_maskable(spec, _whole_numbers(case)) for case in cases for spec in case.tensors):
        found.append(Mutant("mask one short", lambda: with_inputs(op, _mask_one_short)))
        found.append(Mutant("offset by one", lambda: with_inputs(op, _offset_by_one)))
    if any(spec.dtype == "float32" for case in cases for spec in case.tensors):
        found.append(Mutant(LOWER_PRECISION, lambda: _in_lower_precision(op)))
    pairs = {pair for case in cases for pair in _alike(case)}
    for a, b in sorted(pairs):
        found.append(Mutant(f"operands {a} and {b} swapped", functools.partial(with_inputs, op, functools.partial(_swapped, a=a, b=b))))
    return found


def _ill_mannered(op: Op, cases: Sequence[Case], outputs: Sequence[Outputs]) -> list[Mutant]:
    found = []
    if any(number not in op.mutates for case in cases for number in range(len(case.tensors))):
        found.append(Mutant("an input changed", lambda: _changing_an_input(op), by_values=False))
    if not op.in_place:
        found.append(Mutant("one buffer for all calls", lambda: _one_buffer(op), by_values=False))
        if not op.may_alias and any(map(_has_an_input_like_an_output, cases, outputs)):
            found.append(Mutant("its input returned", lambda: _returning_its_input(op)))
    return found


def _has_an_input_like_an_output(case: Case, outputs: Outputs) -> bool:
    return any((spec.shape, spec.dtype) in outputs for spec in case.tensors)


def _maskable(spec: TensorSpec, whole_numbers: bool) -> bool:
    return bool(spec.shape) and spec.shape[-1] > 1 and (whole_numbers or spec.dtype.startswith(("float", "bfloat", "complex")))


def _whole_numbers(case: Case) -> bool:
    """Whether the case has no float tensor at all: then integers are values, not indices."""
    return not any(spec.dtype.startswith(("float", "bfloat", "complex")) for spec in case.tensors)


def _values(given: Sequence[torch.Tensor]) -> list[int]:
    """Numbers of the tensors that hold values: floats, or all where there are none."""
    floats = [n for n, t in enumerate(given) if t.is_floating_point() or t.is_complex()]
    return [n for n in floats or range(len(given)) if given[n].dim() and given[n].shape[-1] > 1]


def _mask_one_short(given: list[torch.Tensor]) -> list[torch.Tensor]:
    for number in _values(given):
        given[number] = given[number].contiguous()
        edits.put(given[number].select(-1, -1), 0.0)
    return given


def _offset_by_one(given: list[torch.Tensor]) -> list[torch.Tensor]:
    for number in _values(given)[:1]:
        given[number] = given[number].roll(1, -1)
    return given


def _in_lower_precision(op: Op) -> Kernel:
    """float32 inputs and outputs rounded to float16, or to bfloat16 where the op allows TF32 anyway."""
    import torch

    narrow = torch.bfloat16 if op.precision == "tf32" else torch.float16

    def rounded(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(narrow).to(torch.float32) if tensor.dtype == torch.float32 else tensor

    inner = with_inputs(op, lambda given: [rounded(t) for t in given])

    def call(*args: object, **kwargs: object) -> object:
        given = tensors(args, kwargs)
        value = replaced(inner(*args, **kwargs), rounded)
        for number in op.mutates:
            given[number].copy_(rounded(given[number]))
        return value

    return call


def _alike(case: Case) -> list[tuple[int, int]]:
    specs = case.tensors
    pairs = itertools.combinations(range(min(len(specs), 4)), 2)
    return [(a, b) for a, b in pairs if specs[a].shape == specs[b].shape and specs[a].dtype == specs[b].dtype and 0 not in specs[a].shape]


def _swapped(given: list[torch.Tensor], a: int, b: int) -> list[torch.Tensor]:
    if b < len(given) and given[a].shape == given[b].shape and given[a].dtype == given[b].dtype:
        first = given[a].clone()
        given[a].copy_(given[b])
        given[b].copy_(first)
    return given


def _changing_an_input(op: Op) -> Kernel:
    """Right outputs, but one element of the first input that the op must leave alone is another one afterwards."""
    right = torch_itself(op)

    def call(*args: object, **kwargs: object) -> object:
        value = right(*args, **kwargs)
        for number, tensor in enumerate(tensors(args, kwargs)):
            if number not in op.mutates and tensor.numel():
                edits.one_element(last=True)([tensor], [])
                break
        return value

    return call


def _one_buffer(op: Op) -> Kernel:
    """Right values, in the same tensors at every call."""
    buffers: dict[tuple[int, tuple[int, ...], torch.dtype], torch.Tensor] = {}
    right = torch_itself(op)

    def call(*args: object, **kwargs: object) -> object:
        numbers = itertools.count()

        def kept(tensor: torch.Tensor) -> torch.Tensor:
            return buffers.setdefault((next(numbers), tuple(tensor.shape), tensor.dtype), tensor).copy_(tensor)

        return replaced(right(*args, **kwargs), kept)

    return call


def _returning_its_input(op: Op) -> Kernel:
    """An input that looks like the output is returned as it is."""
    right = torch_itself(op)

    def call(*args: object, **kwargs: object) -> object:
        given = tensors(args, kwargs)

        def like(tensor: torch.Tensor) -> torch.Tensor:
            return next((t for t in given if t.shape == tensor.shape and t.dtype == tensor.dtype), tensor)

        return replaced(right(*args, **kwargs), like)

    return call


@functools.lru_cache(maxsize=1)
def by_name(slug: str, device: str) -> Mapping[str, Mutant]:
    """All mutants of an op of the catalogue over its own cases; they are asked for one after the other, op by op."""
    op = get(slug)
    return {mutant.name: mutant for mutant in mutants(op, cases_of(op, device))}

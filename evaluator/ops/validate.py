"""Is an op's definition worth judging by? Lazy outputs must fail its cases, and torch in the op's own dtype must pass them."""

from __future__ import annotations

import functools
import math
import typing
from collections.abc import Iterator, Sequence

from evaluator.correctness import RuleError, compare_outputs, oracle, same_dtype
from evaluator.generate import fill, storage_elements, view
from evaluator.ops.definition import Case, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

LAZY_SHARE = 0.25
"""A lazy output may pass this share of the correctness cases (softmax of one column is the constant 1), no performance case."""


def validate(op: Op, device: str = "cpu", seed: int = 1) -> list[str]:
    """Problems of an op's definition, one sentence each; none when it is sound. Computes on the CPU."""
    from evaluator.candidate.outputs import leaves

    problems: list[str] = []
    passes: dict[str, list[Case]] = {}
    cases = list(op.cases(device))
    names = [(case.kind, case.name) for case in cases]
    problems += [f"{op.slug}: two {kind} cases are named {name}" for kind, name in sorted(set(names)) if names.count((kind, name)) > 1]
    for case in cases:
        args, kwargs = materialise(case, seed)
        same = same_dtype(op, args, kwargs)
        right = same if op.random else oracle(op, args, kwargs)
        if wrong_rules := _wrong_rules(op, len(same)):
            return [*problems, *wrong_rules]
        compare = functools.partial(compare_outputs, op, case, expected=right, torch_same_dtype=same, args=args, kwargs=kwargs)
        try:
            own = compare(got=same)
            if not own.passed:
                problems.append(f"{op.slug}/{case.name}: torch itself fails: {own.reason}")
            for name, lazy in lazy_outputs(op, same, leaves((*args, *kwargs.values()))):
                if _decides(same) and compare(got=lazy).passed:
                    passes.setdefault(name, []).append(case)
        except RuleError as error:
            problems.append(f"{op.slug}/{case.name}: {error}")
    allowed = LAZY_SHARE * len(op.correctness_cases(device))
    for name, passed in passes.items():
        if len(passed) > allowed or any(case.kind == "performance" for case in passed):
            problems.append(f"{op.slug}: the {name} output passes {', '.join(case.name for case in passed)}")
    return problems


def _wrong_rules(op: Op, outputs: int) -> list[str]:
    """Rules for outputs that are none, and outputs of a random op without a rule."""
    problems = [f"{op.slug}: a rule for output {number}, and there are {outputs}" for number in op.rules if not 0 <= number < outputs]
    if op.random:
        problems += [f"{op.slug} is random, and output {number} has no rule" for number in range(outputs) if number not in op.rules]
    return problems


def materialise(case: Case, seed: int, device: str = "cpu") -> tuple[list[object], dict[str, object]]:
    """Arguments of one call of a case; tensor number n in order of arguments is filled with counter n."""
    import torch

    numbers = iter(range(len(case.tensors)))

    def build(spec: TensorSpec) -> torch.Tensor:
        tensor = view(torch.empty(storage_elements(spec), dtype=getattr(torch, spec.dtype), device=device), spec)
        fill(tensor, spec, seed, next(numbers))
        return tensor

    return case.filled_in(build)


def lazy_outputs(op: Op, same: Sequence[torch.Tensor], inputs: Sequence[object]) -> Iterator[tuple[str, list[torch.Tensor]]]:
    """Outputs of the right form that took no work. `same` are torch's: the returned ones, then the arguments that the op writes to."""
    import torch

    if op.in_place and len(same) == len(op.mutates):
        tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
        yield "untouched", [tensors[number] for number in sorted(op.mutates)]
    yield "zero", [torch.zeros_like(out) for out in same]
    yield "one", [torch.ones_like(out) for out in same]
    yield "mean", [torch.full_like(out, _finite_mean(out)) for out in same]
    for number, tensor in enumerate(inputs):
        if isinstance(tensor, torch.Tensor):
            yield f"copy of input {number}", [_like(tensor, out) for out in same]


def _finite_mean(out: torch.Tensor) -> float:
    values = out.real.double() if out.is_complex() else out.double()
    mean = float(values[values.isfinite()].mean()) if out.numel() else 0.0
    return mean if math.isfinite(mean) and out.numel() > 1 else 0.0


def _like(tensor: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """The input's elements in the output's form: as they stand where shapes agree, else from the front, repeated as needed."""
    import torch

    if tensor.shape == out.shape:
        return tensor.to(out.dtype)
    flat = tensor.reshape(-1).to(out.dtype)
    if not flat.numel():
        return torch.zeros_like(out)
    return flat.repeat(-(-out.numel() // flat.numel()))[: out.numel()].view(out.shape)


def _decides(same: Sequence[torch.Tensor]) -> bool:
    """Empty outputs are right whatever they hold."""
    return any(out.numel() for out in same)

"""Which cases of an offered op can be judged by. Runs torch on the CPU, on cases that the caller keeps small."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.correctness import compare_outputs, expected_form, oracle, same_dtype
from evaluator.ops.admission.running import Ran, call_twice
from evaluator.ops.arguments import ITEM_BYTES
from evaluator.ops.definition import Case, Op
from evaluator.ops.recorded import Recorded, RecordedCase
from evaluator.ops.recorded.targets import TargetError, resolve
from evaluator.ops.validate import lazy_outputs, materialise

if typing.TYPE_CHECKING:
    import torch

SEED = 1
LONGEST_REASON = 300


class Refused(Exception):
    """The op cannot be judged by. The text says why."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A case that was left out, and why."""

    case: str
    reason: str


@dataclass(frozen=True, slots=True)
class Examined:
    """What is left of an offered op. `finite`: no output of a kept case holds NaN or an infinity."""

    recorded: Recorded
    dropped: tuple[Dropped, ...]
    finite: bool


def examine(recorded: Recorded) -> Examined:
    """Run every case. Cases that cannot decide anything are dropped; what the op writes to is found by looking.

    A case is kept when torch runs it, twice with the same result, gives new tensors of dtypes that can be judged, in the form that it
    announces on the `meta` device; when torch in the case's own dtypes passes, and no lazy output does. Cases for GPUs alone are only
    asked for their form. Raises `Refused` when no correctness case is left, or for what concerns the op as a whole.
    """
    try:
        function = resolve(recorded.target)
    except TargetError as error:
        raise Refused(str(error)) from None
    dropped: list[Dropped] = []
    ran: list[RecordedCase] = []
    written: set[int] = set(recorded.mutates)
    for each in recorded.cases:
        if each.devices == "gpu":
            ran.append(each)
            continue
        try:
            found = call_twice(function, each.case, SEED)
            _check_run(found, recorded)
        except Exception as error:  # torch says in many ways that it will not
            dropped.append(Dropped(each.case.name, reason_of(error)))
            continue
        written |= found.written
        ran.append(each)
    recorded = dataclasses.replace(recorded, mutates=tuple(sorted(written)), cases=tuple(ran))
    op = recorded.op()
    kept: list[RecordedCase] = []
    finite = True
    for each in ran:
        try:
            if not any(_same_call(each, other) for other in kept):
                finite &= _judge(op, each)
            kept.append(each)
        except Exception as error:
            dropped.append(Dropped(each.case.name, reason_of(error)))
    if not any(each.case.kind == "correctness" and each.devices == "all" for each in kept):
        reasons = list(dict.fromkeys(each.reason for each in dropped))
        raise Refused("; ".join(reasons[:3]) or "it has no correctness case")
    return Examined(dataclasses.replace(recorded, cases=tuple(kept)), tuple(dropped), finite)


def reason_of(error: Exception) -> str:
    """One line of an error of torch, without its hints for developers."""
    if isinstance(error, _Unfit):
        return str(error)
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"torch says {type(error).__name__}: {first}"[:LONGEST_REASON]


def _same_call(a: RecordedCase, b: RecordedCase) -> bool:
    """A performance case is often a correctness case as well, and need not be computed again."""
    return (a.case.args, a.case.kwargs) == (b.case.args, b.case.kwargs) and "gpu" not in (a.devices, b.devices)


class _Unfit(Exception):
    """The case is no use."""


def _check_run(ran: Ran, recorded: Recorded) -> None:
    if ran.strangers:
        raise _Unfit(f"it gives a {ran.strangers[0]}")
    if not ran.outputs and not ran.written:
        raise _Unfit("it gives nothing and writes to nothing")
    if ran.differs:
        raise _Unfit("random: two calls with the same arguments give different outputs")
    if ran.views and not recorded.may_alias:
        raise _Unfit("it gives a view of its argument, so there is nothing to compute")
    for output in ran.outputs:
        name = str(output.dtype).removeprefix("torch.")
        if name not in ITEM_BYTES:
            raise _Unfit(f"an output is {name}, which is not judged")
        if str(output.layout) != "torch.strided":
            raise _Unfit(f"an output has layout {output.layout}")


def _judge(op: Op, each: RecordedCase) -> bool:
    """Whether all right outputs are finite, or an argument says that they need not be. Raises `_Unfit`, or what torch raises."""
    form = expected_form(op, each.case, "cpu")
    if each.devices == "gpu":
        return True
    args, kwargs = materialise(each.case, SEED)
    right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
    returned = [(tuple(out.shape), str(out.dtype).removeprefix("torch.")) for out in same[: len(same) - len(op.mutates)]]
    if returned != [(meta.shape, meta.dtype) for meta in form.outputs]:
        announced = [f"{meta.dtype}{list(meta.shape)}" for meta in form.outputs]
        given = [f"{dtype}{list(shape)}" for shape, dtype in returned]
        raise _Unfit(f"torch announces {', '.join(announced)} on the meta device, and gives {', '.join(given)} on the CPU")
    if not any(out.numel() for out in same):
        return True
    if why := why_torch_fails(op, each.case, right, same):
        raise _Unfit(why)
    if lazy := passing_lazy(op, each.case, right, same, args, kwargs):
        raise _Unfit(f"the {lazy} output passes")
    return _asks_for_infinity(each.case) or all(bool(out.isfinite().all()) for out in right)


def why_torch_fails(op: Op, case: Case, right: Sequence[torch.Tensor], same: Sequence[torch.Tensor]) -> str:
    """Why torch's own outputs do not pass the case; "" when they do."""
    if unfit := _too_large(right, same):
        return unfit
    own = compare_outputs(op, case, expected=right, torch_same_dtype=same, got=same)
    return "" if own.passed else f"torch itself fails: {own.reason}"


def _too_large(right: Sequence[torch.Tensor], same: Sequence[torch.Tensor]) -> str:
    """Which of the right outputs does not fit into torch's own dtype for it; "" when all do.

    What stands in its place, an infinity or NaN, is up to the order of the operations: `cholesky_inverse` gives NaN on an H200, and an
    infinity on a CPU.
    """
    import torch

    for wide, own in zip(right, same, strict=True):
        if wide.numel() and (wide.is_floating_point() or wide.is_complex()):
            size = wide.abs()
            if bool((size.isfinite() & (size > torch.finfo(own.dtype).max)).any()):
                return f"the right answer does not fit into {str(own.dtype).removeprefix('torch.')}"
    return ""


def _asks_for_infinity(case: Case) -> bool:
    return any(isinstance(value, float) and not math.isfinite(value) for value in (*case.args, *case.kwargs.values()))


def passing_lazy(
    op: Op, case: Case, right: Sequence[torch.Tensor], same: Sequence[torch.Tensor], args: Sequence[object], kwargs: dict[str, object]
) -> str:
    """The first output without work that would pass; "" when all fail."""
    from evaluator.candidate.outputs import leaves

    for name, lazy in lazy_outputs(op, same, leaves((*args, *kwargs.values()))):
        if compare_outputs(op, case, expected=right, torch_same_dtype=same, got=lazy).passed:
            return name
    return ""

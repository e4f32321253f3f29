"""Does torch pass a case whatever is drawn? A judge draws anew in every run; admission draws once."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Mapping, Sequence

from evaluator.correctness import oracle, same_dtype
from evaluator.ops.admission import Admitted, Dropped, Examined, Refused
from evaluator.ops.admission.examine import reason_of, why_torch_fails
from evaluator.ops.admission.running import identical
from evaluator.ops.definition import Case, Op
from evaluator.ops.opinfo.samples import key
from evaluator.ops.opinfo.timed import on_cpu
from evaluator.ops.recorded import RecordedCase, Variation
from evaluator.ops.recorded.variation import resized
from evaluator.ops.validate import materialise

if typing.TYPE_CHECKING:
    import torch

SEEDS = range(11, 19)
TIMED_SEEDS = SEEDS[:1]
"""Performance cases have thousands of times as many elements."""
HIDDEN_SEEDS = SEEDS[:3]
"""For each length of each size that may be varied."""


def steady(examined: Examined) -> Examined:
    """Without the cases that torch itself fails, or refuses, with other inputs. Raises `Refused` when none is left.

    A case for GPUs is tried at the size of one for CPUs: in half precision that may fail where float32 does not.
    """
    op = examined.recorded.op()
    kept: list[RecordedCase] = []
    dropped = list(examined.dropped)
    timed: dict[str, str] = {}
    for each in examined.recorded.cases:
        if each.case.kind == "correctness":
            reason = _unsteady(op, each.case, SEEDS)
        else:
            case = on_cpu(each.case) if each.devices == "gpu" else each.case
            if key(case) not in timed:  # in float32 both are one
                timed[key(case)] = _unsteady(op, case, TIMED_SEEDS)
            reason = timed[key(case)]
        if reason:
            dropped.append(Dropped(each.case.name, reason))
        else:
            kept.append(each)
    if not any(each.case.kind == "correctness" for each in kept):
        raise Refused("; ".join(list(dict.fromkeys(each.reason for each in dropped))[:3]))
    return dataclasses.replace(examined, recorded=dataclasses.replace(examined.recorded, cases=tuple(kept)), dropped=tuple(dropped))


def steady_lengths(admitted: Admitted) -> Admitted:
    """With only those hidden cases that torch passes, too, whatever is drawn."""
    op = admitted.recorded.op()
    bases = {each.case.name: each.case for each in admitted.recorded.cases if each.case.kind == "correctness"}
    kept: list[Variation] = []
    for each in admitted.recorded.variations:
        base = bases[each.case]
        tried = {to: resized(base, each.size, to, name="tried") for to in each.to if to >= _indexed(base, each.size)}
        if to := tuple(to for to, case in tried.items() if not _unsteady(op, case, HIDDEN_SEEDS)):
            kept.append(dataclasses.replace(each, to=to))
    return dataclasses.replace(admitted, recorded=dataclasses.replace(admitted.recorded, variations=tuple(kept)))


def _indexed(case: Case, size: int) -> int:
    """How long a dimension of this size must stay, because integers of the case may be indices into it that `resized` leaves alone.

    Not every function of torch looks whether an index is in range.
    """
    fixed = [spec for spec in case.tensors if spec.dtype.startswith("int") and not (spec.low == 0 and spec.high == size)]
    return max((int(spec.high) for spec in fixed if spec.high <= size), default=0)


def _unsteady(op: Op, case: Case, seeds: Iterable[int]) -> str:
    """Why the case depends on what is drawn; "" when torch passed every time."""
    for seed in seeds:
        try:
            args, kwargs = materialise(case, seed)
            right, same, again = oracle(op, args, kwargs), *(_drawn(op, args, kwargs, torch_seed) for torch_seed in (seed, -seed))
            why = why_torch_fails(op, case, right, same)
        except Exception as error:  # torch says in many ways that it will not
            return f"with other inputs, {reason_of(error)}"
        if not all(map(identical, same, again)):
            return "random: two calls with the same arguments give different outputs"
        if why:
            return f"with other inputs, {why}"
    return ""


def _drawn(op: Op, args: Sequence[object], kwargs: Mapping[str, object], torch_seed: int) -> tuple[torch.Tensor, ...]:
    """What torch gives when it draws from this seed, if it draws."""
    import torch

    torch.manual_seed(torch_seed)
    return same_dtype(op, args, kwargs)

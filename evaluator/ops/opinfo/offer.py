"""One entry of the database as an op: offered, examined, measured."""

from __future__ import annotations

import dataclasses
import math
import typing
import warnings
from collections.abc import Iterable, Iterator, Sequence

from evaluator.correctness import expected_form
from evaluator.ops.admission import Admitted, Dropped, Examined, Refused, examine, finish
from evaluator.ops.admission.examine import SEED
from evaluator.ops.admission.running import call_twice
from evaluator.ops.definition import Case
from evaluator.ops.opinfo import larger
from evaluator.ops.opinfo.answers import AmbiguousError, with_one_answer
from evaluator.ops.opinfo.entries import entry_point, label
from evaluator.ops.opinfo.samples import NoSamples, cases_of, choose, dtype_of, key, namer, size
from evaluator.ops.opinfo.signature import signature_of
from evaluator.ops.opinfo.steady import steady, steady_lengths
from evaluator.ops.opinfo.target import target_of, yes_or_no
from evaluator.ops.opinfo.timed import timed as timed_cases
from evaluator.ops.opinfo.unfit import UNFIT
from evaluator.ops.recorded import Recorded, RecordedCase
from evaluator.ops.recorded.targets import resolve

if typing.TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

MOST_OUTPUT = 200_000
"""Elements of the outputs of a checked case."""


def admit_entry(entry: OpInfo, suite: str) -> Admitted:
    """The entry as an op of the suite. Raises `Refused` with the reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if why := _no_use(entry):
                raise Refused(why)
            found, inexpressible = cases_of(entry)
        except NoSamples as error:
            raise Refused(str(error)) from None
        chosen, ambiguous = _unambiguous(entry, choose(found))
        if not chosen:
            raise Refused(ambiguous[0].reason)
        target, taken = target_of(entry, chosen)
        decidable = [larger.decidable(entry, case) if yes_or_no(target, case) else case for case in taken]
        offered, long = _short(_offer(entry, suite, target, decidable))
        examined = _timed_twice(steady(_mostly(examine(offered))))
        if not any(size(each.case) for each in examined.recorded.cases):
            reasons = dict.fromkeys(each.reason for each in examined.dropped)
            raise Refused("; ".join([*list(reasons)[:3], "only cases without elements are left"]))
        recorded = _described(entry, examined.recorded)
        dropped = (*inexpressible, *ambiguous, *long, *examined.dropped)
        return steady_lengths(finish(dataclasses.replace(examined, recorded=recorded, dropped=dropped)))


def _no_use(entry: OpInfo) -> str:
    if getattr(entry, "has_nondeterministic_output", False):  # not in torch 2.11
        return "random, or without a defined value: the database itself says that its output differs from call to call"
    if why := UNFIT.get(label(entry)) or UNFIT.get(str(entry.name)):
        return why
    if not entry.supports_dtype(dtype_of(entry), "cuda"):
        return "torch has it not on GPUs"
    return ""


def _unambiguous(entry: OpInfo, cases: Iterable[Case]) -> tuple[list[Case], list[Dropped]]:
    """Cases with one right answer, and the others."""
    kept: list[Case] = []
    dropped: list[Dropped] = []
    for case in cases:
        try:
            kept.append(with_one_answer(entry, case))
        except AmbiguousError as error:
            dropped.append(Dropped(case.name, str(error)))
    return kept, dropped


def _offer(entry: OpInfo, suite: str, target: str, chosen: Sequence[Case]) -> Recorded:
    name = namer()
    distinct = {key(case): case for case in _unambiguous(entry, _checked(entry, chosen))[0]}
    checked = [RecordedCase(dataclasses.replace(case, name=name(case))) for case in distinct.values()]
    timed = [dataclasses.replace(each, case=dataclasses.replace(each.case, name=name(each.case))) for each in timed_cases(entry, chosen)]
    return Recorded(
        slug=f"{suite}/{label(entry)}",
        title=label(entry),
        summary=f"{target.removeprefix('torch.')}, on inputs like those that torch's own tests use.",
        signature=f"{entry.name}(*args, **kwargs) -> Tensor",
        target=target,
        entry_point=entry_point(entry),
        suites=(suite,),
        dtypes=("float32",),
        cases=(*checked, *timed),
    )


def _short(offered: Recorded) -> tuple[Recorded, list[Dropped]]:
    """Without cases whose outputs are far larger than their inputs, and these."""
    op = offered.op()
    dropped: list[Dropped] = []
    for each in offered.cases:
        try:
            outputs = expected_form(op, each.case, "cpu").outputs
        except Exception:  # torch says in many ways that it will not; admission says it again
            continue
        if each.case.kind == "correctness" and sum(math.prod(meta.shape) for meta in outputs) > MOST_OUTPUT:
            dropped.append(Dropped(each.case.name, f"its outputs have more than {MOST_OUTPUT} elements"))
    names = {each.case for each in dropped}
    return dataclasses.replace(offered, cases=tuple(each for each in offered.cases if each.case.name not in names)), dropped


def _checked(entry: OpInfo, chosen: Sequence[Case]) -> Iterator[Case]:
    yield from chosen
    yield from larger.grown(entry, chosen)
    yield from larger.halved(entry, chosen)
    yield from larger.coarse(entry, chosen)
    yield from larger.special(entry, chosen)


def _mostly(examined: Examined) -> Examined:
    """Without the cases that write to an argument, where few do: `max_norm` of an embedding. Else every case would be one that may."""
    recorded = examined.recorded
    if not recorded.mutates:
        return examined
    function = resolve(recorded.target)
    tried = [each.case for each in recorded.cases if each.devices != "gpu"]
    writing = {case.name for case in tried if call_twice(function, case, SEED).written}
    if 2 * len(writing) > len(tried):
        return examined
    kept = tuple(each for each in recorded.cases if each.case.name not in writing)
    again = examine(dataclasses.replace(recorded, mutates=(), cases=kept))
    dropped = [Dropped(name, "it writes to an argument, which few cases of the op do") for name in sorted(writing)]
    return dataclasses.replace(again, dropped=(*examined.dropped, *dropped, *again.dropped))


def _timed_twice(examined: Examined) -> Examined:
    """A case for GPUs is only asked for its form, so it goes when its small sibling for CPUs went."""
    cases = examined.recorded.cases
    kept: list[RecordedCase] = []
    dropped: list[Dropped] = list(examined.dropped)
    siblings = {_plain(each.case) for each in cases if each.devices == "cpu"}
    for each in cases:
        if each.devices == "gpu" and _plain(each.case) not in siblings:
            dropped.append(Dropped(each.case.name, "the same case made for CPUs cannot decide anything"))
        else:
            kept.append(each)
    return dataclasses.replace(examined, recorded=dataclasses.replace(examined.recorded, cases=tuple(kept)), dropped=tuple(dropped))


def _plain(case: Case) -> str:
    """What siblings share: everything but shapes and float dtypes."""
    bare = larger.mapped(case, lambda spec: dataclasses.replace(spec, shape=(0,) * len(spec.shape), dtype=_width_free(spec.dtype)))
    return repr((bare.args, sorted(bare.kwargs.items())))


def _width_free(dtype: str) -> str:
    return "float32" if dtype == "float16" else dtype


def _described(entry: OpInfo, recorded: Recorded) -> Recorded:
    """With what is known once the cases are."""
    on_cpu = [each.case for each in recorded.cases if each.devices != "gpu" and each.case.kind == "correctness"]
    dtypes = tuple(dict.fromkeys(spec.dtype for each in recorded.cases for spec in each.case.tensors))
    return dataclasses.replace(recorded, signature=signature_of(recorded.target, on_cpu), dtypes=dtypes)

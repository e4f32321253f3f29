"""Traced calls as ops of a suite: one op an operator."""

from __future__ import annotations

import dataclasses
import typing
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from evaluator.ops.admission import Admitted, Complaint, Examined, Refused, Report, examine, finish
from evaluator.ops.admission.examine import reason_of
from evaluator.ops.admission.measure import measured
from evaluator.ops.arguments import input_bytes
from evaluator.ops.recorded import Recorded, RecordedCase
from evaluator.ops.recorded.targets import TargetError, aten_overload, refusal
from evaluator.ops.traces.choose import MIB, TIMED_ON_GPU, TooLargeError, Weighed, choose
from evaluator.ops.traces.drawing import TRIED, Values, drawn
from evaluator.ops.traces.indices import UnknowableError
from evaluator.ops.traces.recipe import Recipe

if typing.TYPE_CHECKING:
    import torch

MOST_RECIPES = 2000
"""Distinct calls of one operator that are looked at."""
_INDEXED = ("index", "index_put", "index_put_", "_unsafe_index", "_unsafe_index_put", "_index_put_impl", "_index_put_impl_")
"""Tagged as data-dependent for the sake of bool masks; with indices their form is known."""


def build(
    found: Iterable[Recipe | Complaint],
    suite: str,
    only: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _text: None,
) -> Report:
    """Every operator becomes an op, or a complaint. Needs torch; computes on the CPU.

    `only`: texts of which an operator's name must hold one. `progress` hears each operator's name before work on it begins.
    """
    unused: list[Complaint] = []
    by_target: defaultdict[str, dict[str, Recipe]] = defaultdict(dict)
    for each in found:
        if isinstance(each, Complaint):
            unused.append(each)
        elif not only or any(text in each.target for text in only):
            _merge(by_target[each.target], each)
    admitted: list[Admitted] = []
    refused: list[Complaint] = []
    for target, recipes in sorted(by_target.items()):
        progress(target)
        try:
            admitted.append(_op(target, list(recipes.values()), suite, unused))
        except (Refused, TargetError, UnknowableError, TooLargeError) as error:
            refused.append(Complaint(target, str(error)))
    return Report(suite, tuple(admitted), tuple(refused), tuple(unused))


def _merge(recipes: dict[str, Recipe], recipe: Recipe) -> None:
    """The same call in several models is one recipe, made as often as in all of them."""
    if (known := recipes.get(recipe.key)) is not None:
        recipes[recipe.key] = dataclasses.replace(known, count=known.count + recipe.count, timed=known.timed or recipe.timed)
    elif len(recipes) < MOST_RECIPES:
        recipes[recipe.key] = recipe


def _op(target: str, recipes: Sequence[Recipe], suite: str, unused: list[Complaint]) -> Admitted:
    overload = aten_overload(target)
    if why := refusal(overload) or _no_use(overload):
        raise Refused(f"{target} {why}")
    weighed = list(_weigh(target, overload, recipes, unused))
    if not weighed:
        raise Refused("none of its calls can be used; see its lines")
    cases = choose(weighed)
    examined: list[Examined] = []
    reasons: list[str] = []
    for values in TRIED:
        try:
            one = examine(_offer(target, overload, suite, values, [_redrawn(each, overload, values) for each in cases]))
        except Refused as error:
            reasons.append(str(error))
            continue
        examined.append(one)
        if one.finite and not one.dropped:
            break
    if not examined:
        raise Refused("; ".join(dict.fromkeys(reasons)))
    return finish(max(examined, key=lambda one: (len(one.recorded.cases), one.finite)))


def _no_use(overload: torch._ops.OpOverload) -> str:
    """Why an operator is nothing to judge by, as far as its schema says; "" when it does not say so."""
    import torch

    schema = overload._schema
    name = schema.name.removeprefix("aten::")
    if any(argument.is_out for argument in schema.arguments):
        return "writes to an out= argument; the plain overload is the op"
    if "empty" in name.split("_"):
        return "gives memory that holds anything"
    data_dependent = {torch.Tag.dynamic_output_shape, torch.Tag.data_dependent_output} & set(overload.tags)
    if data_dependent and name not in _INDEXED:
        return "gives an output whose shape depends on the values"
    if any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns):
        return "gives a view of its argument, so there is nothing to compute"
    return ""


def _weigh(target: str, overload: torch._ops.OpOverload, recipes: Sequence[Recipe], unused: list[Complaint]) -> Iterator[Weighed]:
    """Recipes that torch takes, with their cost; the others become complaints."""
    for recipe in recipes:
        try:
            args, kwargs = drawn(recipe.args, recipe.kwargs, overload, TRIED[0])
            case = dataclasses.replace(recipe.case("weighed", "correctness"), args=args, kwargs=kwargs)
            if not case.tensors:
                raise UnknowableError("the call has no tensor")
            written, flops = measured(_offer(target, overload, "", TRIED[0], [RecordedCase(case)]).op(), case)
        except UnknowableError as error:
            unused.append(Complaint(recipe.where, f"{target}: {error}"))
        except Exception as error:  # torch says in many ways that it will not
            unused.append(Complaint(recipe.where, f"{target}: {reason_of(error)}"))
        else:
            weighed = Weighed(recipe, input_bytes(case) + written, flops)
            if not weighed.fits(TIMED_ON_GPU):
                size = f"{weighed.bytes // MIB} MiB and {flops:.2g} FLOPs a call"
                unused.append(Complaint(recipe.where, f"{target}: too large, {size}; {TIMED_ON_GPU.bytes // MIB} MiB are allowed"))
            else:
                yield weighed


def _redrawn(each: RecordedCase, overload: torch._ops.OpOverload, values: Values) -> RecordedCase:
    args, kwargs = drawn(each.case.args, each.case.kwargs, overload, values)
    return dataclasses.replace(each, case=dataclasses.replace(each.case, args=args, kwargs=kwargs))


def _offer(target: str, overload: torch._ops.OpOverload, suite: str, values: Values, cases: Sequence[RecordedCase]) -> Recorded:
    name = target.removeprefix("aten.")
    return Recorded(
        slug=f"{suite}/{target}",
        title=name[:120],
        summary=f"ATen's {name}, on the shapes of traced models, with {values.words}.",
        signature=str(overload._schema).removeprefix("aten::"),
        target=target,
        entry_point=entry_point(target),
        suites=(suite,),
        dtypes=tuple(dict.fromkeys(spec.dtype for each in cases for spec in each.case.tensors)),
        cases=tuple(cases),
        tags=("traced",),
    )


def entry_point(target: str) -> str:
    """BackendBench's name: of `aten.add.Tensor`, `add__Tensor_kernel_impl`."""
    return f"{target.removeprefix('aten.').replace('.', '__')}_kernel_impl"

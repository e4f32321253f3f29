"""Evaluations side by side: how many times as fast each is as the first, case by case, where they can be compared at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from evaluator.baselines.fingerprint import PARTS
from evaluator.contract import CaseResult, Flag, Outcome, Verdict, from_json
from submissions.access import Reader, readable_sources, visible_evaluations
from submissions.models import Evaluation
from submissions.pages.sheet import masked
from submissions.redact import redact_outcome

LEAST, MOST = 2, 6
MACHINE = tuple(part for part in PARTS if part != "epoch")


class NotComparableError(ValueError):
    """What was asked for cannot be compared. `errors`: sentences for whoever asked."""

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__(" ".join(errors))
        self.errors = tuple(errors)


@dataclass(frozen=True, slots=True)
class Side:
    """One evaluation. `cases` are its timed cases by name; `speedup` and its interval are over torch_eager."""

    evaluation: Evaluation
    verdict: str
    cases: Mapping[str, CaseResult]
    facts: Mapping[str, str]
    may_read_source: bool

    @property
    def id(self) -> str:
        return self.evaluation.pk

    @property
    def author(self) -> str:
        return self.evaluation.author.get_username()

    @property
    def at(self) -> datetime:
        return self.evaluation.finished_at or self.evaluation.queued_at

    @property
    def timed(self) -> bool:
        return self.verdict == Verdict.ACCEPTED and bool(self.cases)


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast as the first, with its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """`faster`, `slower`, or `tied` where the interval holds 1."""
        if self.low > 1:
            return "faster"
        return "slower" if self.high < 1 else "tied"


@dataclass(frozen=True, slots=True)
class CasePair:
    """A case of both, or of one alone. Times in microseconds; `why` says why there is no ratio."""

    name: str
    inputs: str
    base_us: float | None
    time_us: float | None
    ratio: Ratio | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A side held against the first. `differences`: why there is no verdict; empty where there is one."""

    side: Side
    cases: tuple[CasePair, ...]
    overall: Ratio | None
    differences: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """`faster`, `slower` or `tied` over the cases that both have; "" where the two must not be judged by it."""
        return "" if self.overall is None or self.differences else self.overall.verdict

    @property
    def common(self) -> int:
        return sum(case.ratio is not None for case in self.cases)

    def count(self, verdict: str) -> int:
        return sum(case.ratio is not None and case.ratio.verdict == verdict for case in self.cases)

    @property
    def faster(self) -> int:
        return self.count("faster")

    @property
    def slower(self) -> int:
        return self.count("slower")

    @property
    def tied(self) -> int:
        return self.count("tied")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first evaluation, and each of the others against it, in the order they were asked for."""

    base: Side
    pairs: tuple[Pair, ...]

    @property
    def sides(self) -> tuple[Side, ...]:
        return (self.base, *(pair.side for pair in self.pairs))


def wanted_ids(given: Iterable[str]) -> list[str]:
    """Ids out of what people paste: separated by commas or space, once each, or as addresses of result pages (`…?evaluation=<id>`)."""
    words = " ".join(given).replace(",", " ").replace("\0", "").split()
    return list(dict.fromkeys(word.partition("evaluation=")[2].partition("&")[0] or word for word in words))


def compare(ids: Sequence[str], reader: Reader) -> Comparison:
    """The evaluations with these ids, the first as the base, in two queries at most.

    Raises `NotComparableError` for too few, too many, and ids that `reader` may not see, each with what to do.
    """
    if not LEAST <= len(ids) <= MOST:
        raise NotComparableError([f"Give {LEAST} to {MOST} different ids of evaluations, not {len(ids)}: ?ids=a,b"])
    found = visible_evaluations(reader).select_related("submission__competition").defer("log", "build", "submission__competition__rules")
    rows = found.in_bulk([one for one in ids if len(one) <= 12])
    if unknown := [one for one in ids if one not in rows]:
        raise NotComparableError(_unknown(unknown, reader))
    readable = readable_sources(reader, (row.submission for row in rows.values()))
    base, *others = (_side(rows[one], may_read_source=rows[one].submission_id in readable) for one in ids)
    return Comparison(base, tuple(pair(base, other) for other in others))


def pair(base: Side, side: Side) -> Pair:
    """Ratios of what both were timed on. There are none across ops and devices, where not even the cases are the same."""
    apart = _differences(base, side)
    elsewhere = (base.facts["op"], base.facts["device"]) != (side.facts["op"], side.facts["device"])
    cases = tuple(_case(base.cases.get(name), side.cases.get(name)) for name in dict.fromkeys([*base.cases, *side.cases]))
    found = [case.ratio for case in cases if case.ratio is not None]
    if elsewhere or not (base.timed and side.timed):
        return Pair(side, (), None, apart)
    return Pair(side, cases, overall(found) if found else None, apart)


class Measured(Protocol):
    """A speedup over torch_eager with its 95 % interval."""

    @property
    def speedup(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def ratio_of(base: Measured, side: Measured) -> Ratio:
    """Ratio of the two speedups over torch_eager.

    Each was timed in quads beside torch_eager, so what the machine did in between falls out; a ratio of the two bare times would keep
    it. The two runs are independent: their relative errors add in quadrature, upwards and downwards apart.
    """
    ratio = side.speedup / base.speedup
    down = math.hypot(math.log(side.speedup / side.low), math.log(base.high / base.speedup))
    up = math.hypot(math.log(side.high / side.speedup), math.log(base.speedup / base.low))
    return Ratio(ratio, ratio * math.exp(-down), ratio * math.exp(up))


def overall(ratios: Sequence[Ratio]) -> Ratio:
    """Geometric mean over independent cases, by the rule of an evaluation's own summary (`evaluator/timing/stats.py`)."""
    n = len(ratios)
    mean = math.exp(sum(math.log(one.ratio) for one in ratios) / n)
    down = math.hypot(*(math.log(one.ratio / one.low) for one in ratios)) / n
    up = math.hypot(*(math.log(one.high / one.ratio) for one in ratios)) / n
    return Ratio(mean, mean * math.exp(-down), mean * math.exp(up))


def _case(base: CaseResult | None, side: CaseResult | None) -> CasePair:
    either = base or side
    assert either is not None
    ours, theirs = base.timing if base else None, side.timing if side else None
    ratio, why = None, ""
    if ours is None or theirs is None or base is None or side is None:
        why = "not timed in this one" if theirs is None else "not timed in the first"
    elif base.inputs != side.inputs and not (base.hidden or side.hidden):
        why = "other inputs"
    elif not (sound(ours) and sound(theirs)):
        why = "no usable interval"
    else:
        ratio = ratio_of(ours, theirs)
    return CasePair(
        either.name, either.inputs, ours.candidate.median_us if ours else None, theirs.candidate.median_us if theirs else None, ratio, why
    )


def sound(timing: Measured) -> bool:
    return 0 < timing.low <= timing.speedup <= timing.high < math.inf


def _differences(base: Side, side: Side) -> tuple[str, ...]:
    """What keeps a ratio from being a verdict on the kernels, in words."""
    found = [f"{name}: {base.facts[name]} and {side.facts[name]}" for name in base.facts if base.facts[name] != side.facts[name]]
    common = [name for name in base.cases if name in side.cases]
    methods = {(ours, theirs) for name in common if (ours := _method(base, name)) != (theirs := _method(side, name))}
    return (*found, *(f"method: {ours} and {theirs}" for ours, theirs in sorted(methods)))


def _method(side: Side, name: str) -> str:
    timing = side.cases[name].timing
    return timing.method if timing else ""


def _side(evaluation: Evaluation, *, may_read_source: bool) -> Side:
    try:
        stored = evaluation.outcome if may_read_source or not evaluation.outcome else redact_outcome(evaluation.outcome)
        outcome = from_json(Outcome, stored) if stored else None
    except (TypeError, ValueError):
        outcome = None  # a newer evaluator wrote it
    cases = masked(outcome.cases, may_read_source=may_read_source) if outcome else ()
    environment = outcome.environment if outcome else {}
    facts = {"op": evaluation.op, "device": evaluation.device, "epoch": str(evaluation.epoch), "timer": evaluation.timer}
    facts["interpreter"] = "Triton's interpreter" if Flag.INTERPRETED in evaluation.flags else "none"
    facts |= {part.replace("_", " "): str(environment.get(part) or "not told") for part in MACHINE}
    timed = {case.name: case for case in cases if case.timing is not None}
    return Side(evaluation, evaluation.verdict, timed, facts, may_read_source)


def _unknown(ids: Sequence[str], reader: Reader) -> list[str]:
    """What is wrong with each id: it is a submission's, or nothing that the reader may see."""
    found = visible_evaluations(reader).filter(submission_id__in=ids).order_by("queued_at").values_list("submission_id", "pk")
    of_submission: dict[str, list[str]] = {}
    for submission, evaluation in found[:100]:
        of_submission.setdefault(submission, []).append(evaluation)
    return [
        f"{one} is a submission. Its evaluations: {', '.join(of_submission[one][:8])}."
        if one in of_submission
        else f"There is no evaluation {one[:40]!r}, or it is private. An id has 12 characters and stands in the address of a result page."
        for one in ids
    ]

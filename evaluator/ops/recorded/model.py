"""An op given as data, in types: what `reading.py` makes of a document and `writing.py` turns into one."""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluator.devices import Precision
from evaluator.ops.arguments import input_bytes, takes_bfloat16
from evaluator.ops.definition import Case, Cost, Op
from evaluator.ops.recorded.reference import Reference
from evaluator.ops.recorded.starter import starters
from evaluator.ops.recorded.variation import resized

FORMAT = 1
HIDDEN_CASES = 3
"""So many hidden cases are drawn for an evaluation, where the op's sizes can be varied at all."""

Devices = typing.Literal["all", "cpu", "gpu"]
StridesPolicy = typing.Literal["any", "contiguous", "as_reference"]
Compare = typing.Literal["scaled", "exact"]


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """A public case, the device classes that it is for, and its least work.

    `input_bytes` counts inputs that every kernel must read whole, `output_bytes` the outputs and the arguments written to.
    """

    case: Case
    devices: Devices = "all"
    input_bytes: int = 0
    output_bytes: int = 0
    flops: int = 0

    def on(self, device: str) -> bool:
        return self.devices == "all" or (self.devices == "cpu") == (device == "cpu")

    @property
    def bfloat16(self) -> bool:
        return any(spec.dtype == "bfloat16" for spec in self.case.tensors)


@dataclass(frozen=True, slots=True)
class Variation:
    """Hidden cases: in the case of this name, every dimension of length `size` may have one of the lengths `to` instead."""

    case: str
    size: int
    to: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the fields of `Op` are to an op in Python; `target` names the torch function that is the reference."""

    slug: str
    title: str
    summary: str
    signature: str
    target: str
    entry_point: str
    suites: tuple[str, ...]
    dtypes: tuple[str, ...]
    cases: tuple[RecordedCase, ...]
    description: str = ""
    tags: tuple[str, ...] = ()
    precision: Precision = "ieee_fp32"
    strides_policy: StridesPolicy = "any"
    may_alias: bool = False
    mutates: tuple[int, ...] = ()
    compare: Compare = "scaled"
    variations: tuple[Variation, ...] = ()

    def cases_on(self, device: str) -> tuple[RecordedCase, ...]:
        """The public cases of a device class. bfloat16 is left out where it cannot be had, unless nothing else is there to check."""
        found = tuple(each for each in self.cases if each.on(device))
        kept = tuple(each for each in found if not each.bfloat16 or takes_bfloat16(device))
        return kept if any(each.case.kind == "correctness" for each in kept) else found

    def op(self, document: typing.Mapping[str, object] | None = None) -> Op:
        """The op as the evaluator knows ops. `document` is what this was read from."""
        return Op(
            slug=self.slug,
            title=self.title,
            summary=self.summary,
            signature=self.signature,
            reference=Reference(self.target, in_place=bool(self.mutates)),
            cases=lambda device: [each.case for each in self.cases_on(device)],
            hidden_cases=self._hidden_cases,
            cost=self._cost,
            precision=self.precision,
            aten=self.target if self.target.startswith("aten.") else "",
            suites=self.suites,
            dtypes=self.dtypes,
            tags=self.tags,
            strides_policy=self.strides_policy,
            description=self.description,
            mutates=self.mutates,
            compare=self.compare,
            may_alias=self.may_alias,
            starters=starters(self.entry_point, self.signature, self.target, self.precision),
            entry=self.entry_point,
            document=document,
        )

    def _cost(self, case: Case) -> Cost:
        """As recorded; of a hidden case, in proportion to its inputs, as much as of the public case that is most like it."""
        for each in self.cases:
            if each.case == case:
                return Cost(each.input_bytes, each.output_bytes, each.flops)
        size = input_bytes(case)
        nearest = min(self.cases, key=lambda each: (len(each.case.tensors) != len(case.tensors), abs(input_bytes(each.case) - size)))
        share = size / max(input_bytes(nearest.case), 1)
        return Cost(round(nearest.input_bytes * share), round(nearest.output_bytes * share), round(nearest.flops * share))

    def _hidden_cases(self, pick: Callable[[int, int], int], device: str) -> Sequence[Case]:
        """Public cases with one size changed to a length that was tried when the op was recorded."""
        bases = {each.case.name: each.case for each in self.cases_on(device) if each.case.kind == "correctness"}
        usable = [variation for variation in self.variations if variation.case in bases]
        drawn: list[Case] = []
        for number in range(min(HIDDEN_CASES, len(usable))):
            variation = usable[pick(0, len(usable) - 1)]
            to = variation.to[pick(0, len(variation.to) - 1)]
            drawn.append(resized(bases[variation.case], variation.size, to, name=f"hidden_{number + 1}", hidden=True))
        return drawn

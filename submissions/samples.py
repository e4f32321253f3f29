"""Raw samples of an evaluation in a row of their own, compressed: pages and lists read the outcome without them."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Sequence

from evaluator.contract import CaseResult, Outcome, from_json
from evaluator.samples import CaseSamples, as_document, samples_of
from submissions.models import Evaluation, Samples

MOST_BYTES = 64 * 1024 * 1024
"""More than the outcome of any evaluation may have had (`evaluator/judge/service.py`)."""


def keep(evaluation: Evaluation, cases: Sequence[CaseResult]) -> None:
    """Store the samples of these cases as the evaluation's; none where nothing was timed."""
    found = samples_of(cases)
    if found:
        Samples.objects.update_or_create(evaluation=evaluation, defaults={"packed": pack(found)})


def of(evaluation: Evaluation) -> tuple[CaseSamples, ...]:
    """The samples of each timed case, in the outcome's order; () where there are none."""
    packed = Samples.objects.filter(evaluation=evaluation).values_list("packed", flat=True).first()
    return unpack(bytes(packed)) if packed is not None else ()


def pack(samples: Sequence[CaseSamples]) -> bytes:
    return zlib.compress(json.dumps(as_document(samples), separators=(",", ":"), allow_nan=False).encode())


def unpack(packed: bytes) -> tuple[CaseSamples, ...]:
    """Raises `ValueError` for what `pack` cannot have made."""
    opened = zlib.decompressobj()
    text = opened.decompress(packed, MOST_BYTES)
    if opened.unconsumed_tail:
        raise ValueError(f"the samples have more than {MOST_BYTES} bytes")
    rows = json.loads(text)
    return tuple(from_json(CaseSamples, row) for row in rows)


def without_samples(outcome: Outcome) -> Outcome:
    """The outcome as it is stored: what `keep` stores is not in it."""
    bare = [
        case
        if case.timing is None
        else dataclasses.replace(case, timing=dataclasses.replace(case.timing, samples_us=(), baseline_samples_us=()))
        for case in outcome.cases
    ]
    return dataclasses.replace(outcome, cases=tuple(bare))


def with_samples(outcome: Outcome, samples: Sequence[CaseSamples]) -> Outcome:
    """The stored outcome with its samples again."""
    by_case = {each.case: each for each in samples}

    def filled(case: CaseResult) -> CaseResult:
        each = by_case.get(case.name)
        if case.timing is None or each is None:
            return case
        timing = dataclasses.replace(case.timing, samples_us=each.candidate_us, baseline_samples_us=each.baseline_us)
        return dataclasses.replace(case, timing=timing)

    return dataclasses.replace(outcome, cases=tuple(filled(case) for case in outcome.cases))

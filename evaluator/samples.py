"""Raw samples of the timed cases as rows: for files, for the site's API and for `run --samples`."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.contract import JSON, CaseResult
from evaluator.csv_cell import cell

COLUMNS = ("case", "side", "number", "time_us")


@dataclass(frozen=True, slots=True)
class CaseSamples:
    """One case's samples in microseconds, in the order in which they were taken; of a long run at most 400 a side, evenly taken."""

    case: str
    candidate_us: tuple[float, ...]
    baseline_us: tuple[float, ...]


def samples_of(cases: Sequence[CaseResult]) -> tuple[CaseSamples, ...]:
    """Those of the cases that have some. What is no finite number is left out: JSON has no place for it."""
    timed = [(case.name, case.timing) for case in cases if case.timing is not None]
    found = (CaseSamples(name, _finite(t.samples_us), _finite(t.baseline_samples_us)) for name, t in timed)
    return tuple(each for each in found if each.candidate_us or each.baseline_us)


def _finite(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(value for value in values if math.isfinite(value))


def as_document(samples: Sequence[CaseSamples]) -> list[JSON]:
    return [{"case": each.case, "candidate_us": list(each.candidate_us), "baseline_us": list(each.baseline_us)} for each in samples]


def rows(samples: Sequence[CaseSamples]) -> Iterator[tuple[str, str, int, float]]:
    """Case, side (`candidate`, `baseline`), number from 1, microseconds."""
    for each in samples:
        for side, values in (("candidate", each.candidate_us), ("baseline", each.baseline_us)):
            yield from ((each.case, side, number, value) for number, value in enumerate(values, 1))


def as_csv(samples: Sequence[CaseSamples]) -> str:
    """One line a sample under the names in `COLUMNS`."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows((cell(case), side, number, repr(value)) for case, side, number, value in rows(samples))
    return out.getvalue()


def write_samples(cases: Sequence[CaseResult], to: str | None) -> None:
    """To a file, as JSON where its name ends in `.json`, else as CSV; nowhere where none is named."""
    if to:
        found = samples_of(cases)
        as_json = to.endswith(".json")
        Path(to).write_text(json.dumps(as_document(found)) + "\n" if as_json else as_csv(found), encoding="utf-8", newline="")

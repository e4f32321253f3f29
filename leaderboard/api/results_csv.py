"""The figures of a suite as CSV, one line per row, in the manner of a board's (`leaderboard/api/csv_renderer.py`)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from rest_framework.renderers import BaseRenderer

from leaderboard.api.csv_renderer import cell
from leaderboard.figures import THRESHOLDS

ABOUT = ("author", "agent", "interpreted")
FIGURES = (
    "ops", "attempted", "accepted", "evaluations", "correctness_rate", "correctness_rate_of_attempted", "correctness_score",
    "correctness_score_of_suite", "geomean_speedup", "geomean_ops",
)  # fmt: skip
FAST = tuple(f"fast_{p:g}" for p in THRESHOLDS)
COLUMNS = ("suite", "device", *ABOUT, *FIGURES, *FAST, *(f"{name}_of_attempted" for name in FAST))


class ResultsCsv(BaseRenderer):
    """`text/csv`: `fast_1` is fast_p for p = 1. Errors stay readable as text."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(self, data: object, accepted_media_type: str | None = None, renderer_context: Mapping[str, object] | None = None) -> bytes:
        out = io.StringIO()
        writer = csv.writer(out)
        if not isinstance(data, Mapping) or "rows" not in data:
            writer.writerows([["error"], *([cell(line)] for line in _problem(data))])
        else:
            writer.writerow(COLUMNS)
            for row in (*data["rows"], *data["interpreted"]):
                writer.writerow([cell(value) for value in (data["suite"], data["device"], *_values(row))])
        return out.getvalue().encode()


def _values(row: Mapping[str, Mapping[str, object]]) -> Iterator[object]:
    sums = row["figures"]
    fast = sums["fast_p"]
    assert isinstance(fast, Sequence)
    yield from (row[name] for name in ABOUT)
    yield from (sums[name] for name in FIGURES)
    yield from (one["of_suite"] for one in fast)
    yield from (one["of_attempted"] for one in fast)


def _problem(data: object) -> Iterator[str]:
    """The sentence of a problem document, then what is wrong with each field."""
    if not isinstance(data, Mapping):
        yield str(data)
        return
    yield str(data.get("detail", ""))
    errors = data.get("errors")
    yield from (f"{field}: {' '.join(found)}" for field, found in errors.items()) if isinstance(errors, Mapping) else ()

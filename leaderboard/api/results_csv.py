"""The figures of a suite as CSV, one line per row, in the manner of a board's (`leaderboard/api/board_csv.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kbweb.api.csv_answers import CsvRenderer
from leaderboard.figures import THRESHOLDS

ABOUT = ("author", "agent", "interpreted")
FIGURES = (
    "ops", "attempted", "accepted", "evaluations", "correctness_rate", "correctness_rate_of_attempted", "correctness_score",
    "correctness_score_of_suite", "geomean_speedup", "geomean_ops",
)  # fmt: skip
FAST = tuple(f"fast_{p:g}" for p in THRESHOLDS)
COLUMNS = ("suite", "device", *ABOUT, *FIGURES, *FAST, *(f"{name}_of_attempted" for name in FAST))


class ResultsCsv(CsvRenderer):
    """Compiled rows, then interpreted ones; `fast_1` is fast_p for p = 1."""

    def rows(self, data: Mapping[str, object]) -> Iterator[Sequence[object]]:
        yield COLUMNS
        for row in (*_rows(data["rows"]), *_rows(data["interpreted"])):
            yield [data["suite"], data["device"], *_values(row)]


def _values(row: Mapping[str, Mapping[str, object]]) -> Iterator[object]:
    sums = row["figures"]
    fast = sums["fast_p"]
    assert isinstance(fast, Sequence)
    yield from (row[name] for name in ABOUT)
    yield from (sums[name] for name in FIGURES)
    yield from (one["of_suite"] for one in fast)
    yield from (one["of_attempted"] for one in fast)


def _rows(rows: object) -> Sequence[Mapping[str, Mapping[str, object]]]:
    assert isinstance(rows, Sequence)
    return rows

"""A board as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kbweb.api.csv_answers import CsvRenderer

COLUMNS = (
    "rank", "band", "author", "agent", "kernel_type", "time_us", "time_error_us", "speedup", "speedup_low", "speedup_high",
    "cases", "cases_won", "sol_share", "runs", "confirmed", "interpreted", "visibility", "evaluation", "submission", "at",
    "kind", "status", "clock", "stale", "why", "confirmation", "confirming_runs", "stopped_by", "epoch",
)  # fmt: skip


class BoardCsv(CsvRenderer):
    """Compiled rows, interpreted ones, those that are not confirmed, then baselines."""

    def rows(self, data: Mapping[str, object]) -> Iterator[Sequence[object]]:
        yield COLUMNS
        for row in (*_rows(data["rows"]), *_rows(data["interpreted"]), *_rows(data["not_confirmed"])):
            yield [{"epoch": data["epoch"], **row}.get(column) for column in COLUMNS]
        for row in map(_baseline, _rows(data["baselines"])):
            yield [row.get(column) for column in COLUMNS]


def _rows(rows: object) -> list[Mapping[str, object]]:
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, Sequence) else []


def _baseline(row: Mapping[str, object]) -> Mapping[str, object]:
    """A baseline in the columns of an entry: its name stands for the author."""
    return {**row, "author": row["name"], "runs": row["measured"] or None}

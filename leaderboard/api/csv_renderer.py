"""A board as CSV (RFC 4180) that a spreadsheet cannot be made to run."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from rest_framework.renderers import BaseRenderer

COLUMNS = (
    "rank", "band", "author", "agent", "kernel_type", "time_us", "time_error_us", "speedup", "speedup_low", "speedup_high",
    "cases", "cases_won", "sol_share", "runs", "confirmed", "interpreted", "visibility", "evaluation", "submission", "at",
)  # fmt: skip
RUNS_AS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 (spreadsheets take full-width signs too)


class BoardCsv(BaseRenderer):
    """`text/csv`: the compiled rows, then the interpreted ones, then the baseline. Errors stay readable as text."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(self, data: object, accepted_media_type: str | None = None, renderer_context: Mapping[str, object] | None = None) -> bytes:
        out = io.StringIO()
        writer = csv.writer(out)
        if not isinstance(data, Mapping) or "rows" not in data:
            detail = data.get("detail", "") if isinstance(data, Mapping) else data
            writer.writerows([["error"], [cell(str(detail))]])
        else:
            writer.writerow(COLUMNS)
            for row in (*_rows(data["rows"]), *_rows(data["interpreted"]), *_baseline(data["baseline"])):
                writer.writerow([cell(row.get(column)) for column in COLUMNS])
        return out.getvalue().encode()


def cell(value: object) -> str:
    """A cell's text. Text that a spreadsheet would take as a formula gets an apostrophe in front (OWASP, CSV injection)."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    text = str(value)
    return f"'{text}" if text.lstrip(" ").startswith(RUNS_AS_FORMULA) or text.startswith(RUNS_AS_FORMULA) else text


def _rows(rows: object) -> list[Mapping[str, object]]:
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, Sequence) else []


def _baseline(baseline: object) -> list[Mapping[str, object]]:
    if not isinstance(baseline, Mapping):
        return []
    return [{"author": baseline["name"], "time_us": baseline["time_us"], "speedup": baseline["speedup"], "runs": baseline["measured"]}]

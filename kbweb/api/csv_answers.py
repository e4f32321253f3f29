"""Answers as CSV (RFC 4180) that a spreadsheet cannot be made to run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from evaluator import csv_cell

NOT_IN_A_NAME = re.compile(r"[^\w.-]", re.ASCII)


class CsvRenderer(BaseRenderer):
    """`text/csv`: a heading and rows, which a subclass makes of the answer. Errors are JSON, as everywhere."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def rows(self, data: Mapping[str, object]) -> Iterable[Sequence[object]]:
        """The heading, then a row a line."""
        raise NotImplementedError

    def render(self, data: object, accepted_media_type: str | None = None, renderer_context: Mapping[str, object] | None = None) -> bytes:
        if getattr((renderer_context or {}).get("response"), "exception", False) or not isinstance(data, Mapping):
            return bytes(JSONRenderer().render(data))
        out = io.StringIO()
        csv.writer(out).writerows([cell(value) for value in row] for row in self.rows(data))
        return out.getvalue().encode()


def cell(value: object) -> str:
    """A cell's text. Numbers keep full precision; text is guarded (`evaluator/csv_cell.py`)."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, (int, float)) else csv_cell.cell(str(value))


def as_file(request: Request, name: str) -> dict[str, str]:
    """Headers that offer CSV as a file: shown in place, a browser might take it for something else. None for other formats."""
    if getattr(getattr(request, "accepted_renderer", None), "format", "") != CsvRenderer.format:
        return {}
    return {"Content-Disposition": f'attachment; filename="{NOT_IN_A_NAME.sub("_", name)}.csv"'}

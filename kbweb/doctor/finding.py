"""One line of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """`ok`; `warn`: works, with less; `fail`: something will not work. `todo` says what to do."""

    level: Literal["ok", "warn", "fail"]
    name: str
    said: str
    todo: str = ""

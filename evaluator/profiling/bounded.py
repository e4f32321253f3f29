"""Reading what submitted code could have written: texts of bounded length without control characters, finite numbers, plain JSON."""

from __future__ import annotations

import json
import math
import re

from evaluator.jsonable import JSON

NAME_CHARACTERS = 300
_LINE_BREAKS = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = {number: "\ufffd" for number in (*range(32), 127) if chr(number) not in "\n\t"}
_LARGEST = 1e18


class Unreadable(ValueError):
    """A tool's answer that is not what the tool writes."""


def text(value: object, limit: int = NAME_CHARACTERS) -> str:
    """One line that can be shown: what cannot be printed is replaced, what is too long is cut. "" for what is no text."""
    if not isinstance(value, str):
        return ""
    cut = value[: limit + 1].replace("\n", " ").replace("\t", " ")
    shown = "".join(c if c.isprintable() else "\ufffd" for c in cut).strip()
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def lines(data: bytes, most_bytes: int) -> str:
    """Text of several lines. Raises `Unreadable` when it is too long."""
    if len(data) > most_bytes:
        raise Unreadable(f"{len(data)} bytes, at most {most_bytes} are read")
    decoded = _LINE_BREAKS.sub("\n", data.decode("utf-8", "replace"))
    if decoded.isascii():
        return decoded.translate(_CONTROLS)  # megabytes of machine code are
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in decoded)


def number(value: object) -> float | None:
    """A finite number of a size that something can have; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) and abs(found) <= _LARGEST else None


def count(value: object) -> int | None:
    """A whole number that is not negative; None for anything else."""
    found = number(value)
    return int(found) if isinstance(value, int) and found is not None and found >= 0 else None


def loads(data: bytes, most_bytes: int) -> JSON:
    """JSON of bounded size; NaN and infinities are None. Raises `Unreadable`."""
    if len(data) > most_bytes:
        raise Unreadable(f"{len(data)} bytes of JSON, at most {most_bytes} are read")
    try:
        found: JSON = json.loads(data, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not JSON") from error
    return found


def items(value: JSON, most: int) -> list[dict[str, JSON]]:
    """The objects in a list of at most `most`. Raises `Unreadable`."""
    if not isinstance(value, list) or len(value) > most:
        raise Unreadable(f"no list of at most {most} entries")
    return [item for item in value if isinstance(item, dict)]

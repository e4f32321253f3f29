"""What an external command prints: a JSON object, read strictly.

{"status": "ok",
 "latency_ms": {"mean": 0.12, "p50": 0.11, "p95": 0.15, "min": 0.10, "max": 0.20},
 "throughput_tokens_per_sec": 1e6,
 "peak_memory_bytes": 1048576}
"""

from __future__ import annotations

import json
import math
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass

LATENCIES = ("mean", "p50", "p95", "min", "max")
REQUIRED = ("status", "latency_ms", "throughput_tokens_per_sec", "peak_memory_bytes")
MAX_SHOWN = 300
_INDENT = re.compile(r"[ \t\r]*")
_ROUNDING = 1 + 1e-6


class BadReport(ValueError):
    """What was printed is no report, or one that gives no figures. The text says what is wrong."""


@dataclass(frozen=True, slots=True)
class ToolReport:
    """Latencies in microseconds. Throughput and memory are None where the tool says null."""

    mean_us: float
    p50_us: float
    p95_us: float
    min_us: float
    max_us: float
    tokens_per_s: float | None
    peak_memory_bytes: int | None


def read_report(stdout: str) -> ToolReport:
    """The last JSON object that was printed; lines before and behind it do not matter. Raises `BadReport`."""
    found = last_object(stdout)
    if found is None:
        raise BadReport("it printed no JSON object" + (f"\nits output ends with: {stdout.strip()[-MAX_SHOWN:]}" if stdout.strip() else ""))
    status = found.get("status")
    if status != "ok":
        said = next((str(found[key]) for key in ("reason", "error", "message") if found.get(key)), "")
        if not isinstance(status, str):
            raise BadReport(f"status is {_shown(status)}, not a text")
        raise BadReport(f"it says status {status[:MAX_SHOWN]!r}" + (f": {said[:MAX_SHOWN]}" if said else ""))
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise BadReport(f"{', '.join(missing)} missing; wanted are {', '.join(REQUIRED)}")
    times = _latencies(found["latency_ms"])
    throughput = _number(found["throughput_tokens_per_sec"], "throughput_tokens_per_sec", optional=True)
    memory = found["peak_memory_bytes"]
    if memory is not None and (isinstance(memory, bool) or not isinstance(memory, int) or not 0 <= memory < 2**60):
        raise BadReport(f"peak_memory_bytes is {_shown(memory)}, not a whole number of bytes or null")
    return ToolReport(
        mean_us=times["mean"] * 1e3,
        p50_us=times["p50"] * 1e3,
        p95_us=times["p95"] * 1e3,
        min_us=times["min"] * 1e3,
        max_us=times["max"] * 1e3,
        tokens_per_s=throughput,
        peak_memory_bytes=memory,
    )


def last_object(text: str) -> dict[str, object] | None:
    """The last JSON object in `text` that starts a line; it may go over several lines. NaN and infinities are no JSON."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    found: dict[str, object] | None = None
    place = 0
    while place < len(text):
        start = _INDENT.match(text, place).end()  # type: ignore[union-attr] # matches nothing, too
        end = -1
        if text.startswith("{", start):
            try:
                value, end = decoder.raw_decode(text, start)
                found = typing.cast("dict[str, object]", value)
            except (ValueError, RecursionError):
                end = -1
        following = text.find("\n", start if end < 0 else end)
        place = len(text) if following < 0 else following + 1
    return found


def _latencies(value: object) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise BadReport(f"latency_ms is {_shown(value)}, not an object with {', '.join(LATENCIES)}")
    if missing := [name for name in LATENCIES if name not in value]:
        raise BadReport(f"latency_ms has no {', '.join(missing)}")
    times = {name: typing.cast("float", _number(value[name], f"latency_ms.{name}")) for name in LATENCIES}
    if min(times.values()) <= 0:
        raise BadReport("a latency is not above zero")
    ordered = [("min", "p50"), ("p50", "p95"), ("p95", "max"), ("min", "mean"), ("mean", "max")]
    if any(times[low] > times[high] * _ROUNDING for low, high in ordered):
        raise BadReport("latency_ms is out of order: min <= p50 <= p95 <= max and min <= mean <= max must hold")
    return times


def _number(value: object, name: str, *, optional: bool = False) -> float | None:
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadReport(f"{name} is {_shown(value)}, not a number" + (" or null" if optional else ""))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise BadReport(f"{name} is {_shown(value)}, not a finite number of at least 0")
    return number


def _refuse_constant(name: str) -> typing.NoReturn:
    raise ValueError(f"{name} is no JSON")


def _shown(value: object) -> str:
    return repr(value)[:60]

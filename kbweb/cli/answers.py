"""What the site answers, taken apart by commands that cannot know what version answers: what is missing is empty."""

from __future__ import annotations

Json = dict[str, object]


def values(answer: Json, name: str) -> list[object]:
    """The list under a name."""
    found = answer.get(name)
    return found if isinstance(found, list) else []


def objects(answer: Json, name: str) -> list[Json]:
    """The objects of the list under a name."""
    return [row for row in values(answer, name) if isinstance(row, dict)]


def part(answer: Json, name: str) -> Json:
    """The object under a name."""
    found = answer.get(name)
    return found if isinstance(found, dict) else {}


def number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def ratio(value: object, without: str = "–") -> str:
    """A speedup for a terminal."""
    return f"{value:.3f}×" if isinstance(value, (int, float)) else without

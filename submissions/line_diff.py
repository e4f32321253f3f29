"""What changed between two sources, line by line.

Myers' greedy algorithm (An O(ND) difference algorithm and its variations, 1986) finds the fewest lines removed and added. Sources are
hostile, and Python's own difflib is quadratic at worst. So the work is bounded, and a pair that needs more is said to
be too different.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from submissions.kept import kept

MOST_LINES = 20_000
"""Lines of the longest source that is looked at."""
MOST_CHANGES = 600
"""Lines removed and added together: 45 ms and 2 MB at worst."""
MOST_STEPS = 200_000
"""Lines found to be the same."""

MOST_KEPT = 100_000
"""Characters of the lines of a result that is kept."""

Kind = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result; `before` and `after` are its numbers in the two sources, from 1."""

    kind: Kind
    text: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Diff:
    """How many lines were added and removed, and the runs of them with what stands around; no hunks when sources are too different."""

    added: int
    removed: int
    hunks: tuple[tuple[Line, ...], ...]
    too_different: bool = False


def kept_diff(before: str, after: str) -> Diff:
    """`diff`, which a process keeps for a pair that is asked for again, unless its lines are long."""
    return kept("diff", (before, after), lambda: diff(before, after), small=_is_small)


def _is_small(found: Diff) -> bool:
    return sum(len(line.text) for hunk in found.hunks for line in hunk) <= MOST_KEPT


def diff(before: str, after: str, context: int = 3) -> Diff:
    """The lines that make `after` of `before`, with `context` lines around them. Blanks at line ends count; how lines end does not."""
    if any(text.count(end) > MOST_LINES for text in (before, after) for end in "\n\r"):
        return Diff(0, 0, (), too_different=True)
    old, new = _split(before), _split(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    path = _path(old[head : len(old) - tail], new[head : len(new) - tail])
    if path is None:
        return Diff(0, 0, (), too_different=True)
    skipped = max(0, head - context)
    same: Kind = "same"
    kinds = [*([same] * (head - skipped)), *path, *([same] * min(tail, context))]
    return Diff(path.count("added"), path.count("removed"), tuple(_hunks(kinds, old, new, skipped, context)))


def _split(text: str) -> list[str]:
    """Lines as editors count them: without the empty one behind a last line end."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _path(old: list[str], new: list[str]) -> list[Kind] | None:
    """The kind of each line of the result, None when it takes too many changes or steps.

    `trail[n]` says how far in `old` n changes lead, on each of the diagonals -n, -n + 2, …, n: as many lines removed more than added.
    """
    trail: list[array[int]] = []
    before: list[int] = []
    steps, long, wide = 0, len(old), len(new)
    for changes in range(min(long + wide, MOST_CHANGES) + 1):
        furthest: list[int] = []
        removed = -1
        for less, added in zip(range(-changes, changes + 1, 2), (*before, -1), strict=True):
            x = first = max(added, removed + 1)
            while x < long and x - less < wide and old[x] == new[x - less]:
                x += 1
            furthest.append(x)
            removed = added
            if x >= long and x - less >= wide:
                return _walk_back(trail, long, wide)
            steps += x - first
            if steps > MOST_STEPS:
                return None
        before = furthest
        trail.append(array("i", furthest))
    return None


def _walk_back(trail: list[array[int]], x: int, y: int) -> list[Kind]:
    """`trail` up to the changes before the last."""
    kinds: list[Kind] = []
    for changes in range(len(trail), 0, -1):
        before, place = trail[changes - 1], (x - y + changes) // 2
        added = place == 0 or (place < changes and before[place - 1] < before[place])
        before_x = before[place] if added else before[place - 1]
        after_x = before_x if added else before_x + 1
        kinds += ["same"] * (x - after_x)
        kinds.append("added" if added else "removed")
        x, y = before_x, before_x - (2 * place - changes + (1 if added else -1))
    kinds += ["same"] * x
    return kinds[::-1]


def _hunks(kinds: Sequence[Kind], old: Sequence[str], new: Sequence[str], skipped: int, context: int) -> Iterator[tuple[Line, ...]]:
    """Runs of changed lines with what stands around them; runs that touch are one. The first of `kinds` is of line `skipped` of both."""
    hunk: list[Line] = []
    waiting: deque[Line] = deque(maxlen=context)
    since = 0
    for line in _numbered(kinds, old, new, skipped):
        since = since + 1 if line.kind == "same" else 0
        if line.kind != "same":
            hunk += waiting
            waiting.clear()
        if hunk and since > 2 * context:
            yield tuple(hunk)
            hunk = []
        if line.kind != "same" or (hunk and since <= context):
            hunk.append(line)
        else:
            waiting.append(line)
    if hunk:
        yield tuple(hunk)


def _numbered(kinds: Sequence[Kind], old: Sequence[str], new: Sequence[str], skipped: int) -> Iterator[Line]:
    before = after = skipped
    for kind in kinds:
        if kind == "removed":
            yield Line(kind, old[before], before + 1, None)
        elif kind == "added":
            yield Line(kind, new[after], None, after + 1)
        else:
            yield Line(kind, new[after], before + 1, after + 1)
        before += kind != "added"
        after += kind != "removed"

"""A trace as text: `Operator: aten.x.y`, then its calls, one a line: `cnt: 12, ((T([64, 128], f16), -1), {})`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from evaluator.ops.admission.report import Complaint
from evaluator.ops.traces.grammar import LONGEST, CallError, parse_call
from evaluator.ops.traces.recipe import Recipe, plain

OPERATOR = re.compile(r"Operator:\s*(\S+)\s*")
CALL = re.compile(r"cnt:\s*(\d{1,12})\s*,\s*(.*)", re.DOTALL)
NAMES = {"aten.sum.SymInt": "aten.sum.dim_IntList"}
"""Operators that older torch called otherwise."""


def read_lines(lines: Iterable[str], name: str) -> Iterator[Recipe | Complaint]:
    """What the lines hold, and what is wrong with the others, each with its number. Empty lines and lines with `#` are nothing."""
    target = ""
    for number, line in enumerate(lines, start=1):
        where = f"{name}:{number}"
        if len(line) > LONGEST + 64:
            yield Complaint(where, f"the line has {len(line)} characters, {LONGEST} are allowed")
        elif not line.strip() or line.startswith("#"):
            continue
        elif operator := OPERATOR.fullmatch(line):
            target = operator.group(1)
        elif call := CALL.fullmatch(line.strip()):
            yield recipe(target, call.group(2), int(call.group(1)), where)
        else:
            yield Complaint(where, f"neither `Operator: …` nor `cnt: …, (…)`: {line.strip()[:60]!r}")


def recipe(target: str, text: str, count: int, where: str, *, timed: bool = True) -> Recipe | Complaint:
    """A call from its parts; a complaint when the text is no call."""
    if not target:
        return Complaint(where, "a call before the first `Operator:` line")
    try:
        args, kwargs = plain(*parse_call(text))
    except CallError as error:
        return Complaint(where, f"{target}: {error}")
    return Recipe(NAMES.get(target, target), args, kwargs, count, where, timed)

"""Suites in words: what each named set of ops is for. Which ops belong to one stands in the catalogue (`Op.suites`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.models import Op

WORDS: Mapping[str, tuple[str, str]] = {
    "smoke": ("Smoke", "A few ops of different kinds, quick to judge: to try the site, a worker or an agent."),
    "core": ("Core", "The ops that most models are made of: the suite to compare authors and agents on."),
    "opinfo": ("OpInfo", "Ops with the inputs of torch's own op database: breadth, and inputs that are easy to forget."),
    "torchbench": ("TorchBench", "Ops with inputs traced from the models of TorchBench: what models really call."),
}
"""Title and sentence of the suites that the evaluator ships, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class SuiteOp:
    """An op of a suite."""

    slug: str
    title: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A named set of ops, never empty; `ops` in the order of the catalogue."""

    slug: str
    title: str
    description: str
    ops: tuple[SuiteOp, ...]

    @property
    def size(self) -> int:
        return len(self.ops)


def words(slug: str) -> tuple[str, str]:
    """Title and one sentence of a suite. One that is not known here came with an import and is named after it."""
    return WORDS.get(slug, (slug, f"Ops imported as {slug}."))


def suites() -> dict[str, Suite]:
    """Every suite to which an active op belongs, by slug, in one query: those that ship first, then imports by name."""
    members: dict[str, list[SuiteOp]] = defaultdict(list)
    for slug, title, names in Op.objects.active().values_list("slug", "title", "suites"):
        for name in dict.fromkeys(names):
            members[name].append(SuiteOp(slug, title))
    place = {name: number for number, name in enumerate(WORDS)}
    order = sorted(members, key=lambda name: (place.get(name, len(place)), name))
    return {name: Suite(name, *words(name), ops=tuple(members[name])) for name in order}

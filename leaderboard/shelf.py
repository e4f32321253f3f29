"""Searching the catalogue: which ops match, what one may search by, and how far each is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Case, Count, Exists, Max, OuterRef, Q, When

from evaluator.contract import KernelType
from leaderboard.models import Device, Entry, Op, OpQuerySet
from leaderboard.overview import OpSummary, ops, summaries

PAGE = 50
FILTERS = ("q", "suite", "tag", "dtype", "kernel_type", "device", "board")
OPEN, TAKEN = "open", "taken"
KNOWN: Mapping[str, tuple[str, ...]] = {"kernel_type": tuple(KernelType), "board": (OPEN, TAKEN)}


@dataclass(frozen=True, slots=True)
class Choices:
    """What the ops of the catalogue can be narrowed by."""

    suites: tuple[str, ...]
    tags: tuple[str, ...]
    dtypes: tuple[str, ...]
    devices: tuple[str, ...]
    kernel_types: tuple[str, ...] = tuple(KernelType)


def choices() -> Choices:
    """In two queries, without the ops' definitions."""
    rows = list(Op.objects.active().values_list("suites", "tags", "definition__dtypes"))
    found = [sorted({name for row in rows for name in row[column] or ()}) for column in range(3)]
    devices = Device.objects.filter(active=True).values_list("slug", flat=True)
    return Choices(tuple(found[0]), tuple(found[1]), tuple(found[2]), tuple(devices))


def search(asked: Mapping[str, str]) -> OpQuerySet:
    """The ops that match: by how near their slug is to the words, then in the catalogue's order.

    `kernel_type`: one of that type stands on a board.

    `board` `open`: nothing stands yet, `taken`: something does. With `device`, `kernel_type` and `board` speak of its board alone.
    """
    found = ops(suite=asked.get("suite", ""), tag=asked.get("tag", ""), text=asked.get("q", ""))
    if dtype := asked.get("dtype"):
        found = found.filter(definition__dtypes__contains=[dtype])
    standing = Entry.objects.ranked().filter(op=OuterRef("pk"))
    if device := asked.get("device"):
        standing = standing.filter(device_id=device)
    if kernel_type := asked.get("kernel_type"):
        found = found.filter(Exists(standing.filter(evaluation__submission__kernel_type=kernel_type)))
    if asked.get("board") == OPEN:
        found = found.filter(~Exists(standing))
    elif asked.get("board") == TAKEN:
        found = found.filter(Exists(standing))
    return found.order_by(_nearness(asked["q"].split()[0]), "position", "slug") if asked.get("q", "").split() else found


def _nearness(word: str) -> Case:
    """0 for the op of this name, 1 where the slug's last part begins with it, 2 where the slug holds it, else 3."""
    name = Q(slug__iexact=word) | Q(slug__iendswith=f"/{word}")
    begins = Q(slug__istartswith=word) | Q(slug__icontains=f"/{word}")
    return Case(When(name, then=0), When(begins, then=1), When(slug__icontains=word, then=2), default=3)


def lately_moved(limit: int) -> list[OpSummary]:
    """The ops on whose boards something came last, newest first, then others in the catalogue's order: what to optimise."""
    moved = Entry.objects.ranked().filter(op__active=True).order_by().values("op_id").annotate(at=Max("achieved_at"))
    slugs = [row["op_id"] for row in moved.order_by("-at", "op_id")[:limit]]
    active = Op.objects.active().defer("definition")
    chosen = {op.slug: op for op in active.filter(pk__in=slugs)}
    others = active.exclude(pk__in=slugs)[: limit - len(slugs)] if len(slugs) < limit else ()
    return summaries([*(chosen[slug] for slug in slugs), *others])


def open_ops() -> tuple[int, int]:
    """How many active ops nothing stands on anywhere, and how many there are."""
    standing = Exists(Entry.objects.ranked().filter(op=OuterRef("pk")))
    found = Op.objects.active().aggregate(open=Count("pk", filter=~standing), all=Count("pk"))
    return found["open"], found["all"]

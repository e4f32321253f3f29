"""What the home page and the list of ops show: the best of every board, how records fell, what came last."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from leaderboard.models import Device, Entry, EntryQuerySet, Op, OpQuerySet, Record


@dataclass(frozen=True, slots=True)
class Highlight:
    """One entry told in a line, without its rank."""

    op: str
    op_title: str
    device: str
    device_title: str
    author: str
    agent: str
    kernel_type: str
    speedup: float
    speedup_low: float
    speedup_high: float
    time_us: float
    confirmed: bool
    interpreted: bool
    evaluation: str
    submission: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RecordPoint:
    """A record: who, how fast, from when until when (None: it stands)."""

    author: str
    evaluation: str
    speedup: float
    speedup_low: float
    speedup_high: float
    time_us: float
    held_from: datetime
    held_until: datetime | None


@dataclass(frozen=True, slots=True)
class BoardSummary:
    """A board in short. `best` is the fastest entry that was compiled, None when only interpreted ones stand there."""

    device: Device
    entries: int
    best: Highlight | None
    history: tuple[RecordPoint, ...]


@dataclass(frozen=True, slots=True)
class OpSummary:
    """An op and those of its boards on which something stands."""

    op: Op
    boards: tuple[BoardSummary, ...]

    @property
    def entries(self) -> int:
        return sum(board.entries for board in self.boards)


def home_ops(*, suite: str = "", tag: str = "", text: str = "") -> list[OpSummary]:
    """Every active op with its boards, in five queries however many there are. Filters as `ops`."""
    found = list(ops(suite=suite, tag=tag, text=text).defer("definition"))
    slugs = [op.slug for op in found]
    devices = list(Device.objects.filter(active=True))
    standing = Entry.objects.eligible().filter(op__in=slugs)
    counts = {(op, device): n for op, device, n in standing.order_by().values_list("op_id", "device_id").annotate(n=Count("pk"))}
    bests = {(e.op_id, e.device_id): highlight(e) for e in _best_of_each_board(slugs)}
    histories: dict[tuple[str, str], list[RecordPoint]] = defaultdict(list)
    for record in Record.objects.filter(op__in=slugs).select_related("author"):
        histories[record.op_id, record.device_id].append(_point(record))
    return [
        OpSummary(
            op,
            tuple(
                BoardSummary(device, counts[key], bests.get(key), tuple(histories[key]))
                for device in devices
                if (key := (op.slug, device.slug)) in counts
            ),
        )
        for op in found
    ]


def ops(*, suite: str = "", tag: str = "", text: str = "") -> OpQuerySet:
    """Active ops: of a suite, with a tag, with `text` in slug, title, summary or signature."""
    return Op.objects.active().search(suite=suite, tag=tag, text=text)


def recent_entries(limit: int = 10) -> list[Highlight]:
    """The entries that came last, newest first."""
    newest = Entry.objects.eligible().for_rows().select_related("op", "device").defer("op__definition")
    return [highlight(entry) for entry in newest.order_by("-achieved_at", "-pk")[:limit]]


def record_history(op: str, device: str) -> list[RecordPoint]:
    """How the record of a board fell, oldest first."""
    return [_point(record) for record in Record.objects.filter(op_id=op, device_id=device).select_related("author")]


def highlight(entry: Entry) -> Highlight:
    """Needs `for_rows()` with op and device."""
    submission = entry.evaluation.submission
    return Highlight(
        op=entry.op_id,
        op_title=entry.op.title,
        device=entry.device_id,
        device_title=entry.device.title,
        author=entry.author.get_username(),
        agent=submission.agent,
        kernel_type=submission.kernel_type,
        speedup=entry.speedup,
        speedup_low=entry.speedup_low,
        speedup_high=entry.speedup_high,
        time_us=entry.time_us,
        confirmed=entry.confirmed,
        interpreted=entry.interpreted,
        evaluation=entry.evaluation_id,
        submission=submission.pk,
        at=entry.achieved_at,
    )


def _best_of_each_board(slugs: list[str]) -> EntryQuerySet:
    compiled = Entry.objects.eligible().filter(op__in=slugs, interpreted=False).for_rows().select_related("op", "device")
    return compiled.defer("op__definition").order_by("op_id", "device_id", "-speedup", "achieved_at").distinct("op_id", "device_id")


def _point(record: Record) -> RecordPoint:
    return RecordPoint(
        author=record.author.get_username(),
        evaluation=record.evaluation_id,
        speedup=record.speedup,
        speedup_low=record.speedup_low,
        speedup_high=record.speedup_high,
        time_us=record.time_us,
        held_from=record.held_from,
        held_until=record.held_until,
    )

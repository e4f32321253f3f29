"""What the home page and the list of ops show: the best of every board, how records fell, what came last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from evaluator.contract import EPOCH
from leaderboard.entry_queries import EntryQuerySet
from leaderboard.models import Device, Entry, Op, OpQuerySet, Record


@dataclass(frozen=True, slots=True)
class Highlight:
    """One entry told in a line, without its rank."""

    op: str
    device: str
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
    """A record: who, how fast, from when until when (None: it stands), and why no longer."""

    author: str
    evaluation: str
    speedup: float
    speedup_low: float
    speedup_high: float
    time_us: float
    held_from: datetime
    held_until: datetime | None
    epoch: int = EPOCH
    ended_by: str = ""
    submission: str = ""

    @property
    def stands(self) -> bool:
        return self.held_until is None


@dataclass(frozen=True, slots=True)
class RecordNews:
    """A record with the board that it was set on."""

    op: str
    device: str
    point: RecordPoint


@dataclass(frozen=True, slots=True)
class BoardSummary:
    """A board in short, of the entries that have a rank. `best` is the fastest that was compiled, None when all are interpreted."""

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


def summaries(found: Sequence[Op], *, device: str = "") -> list[OpSummary]:
    """Each op with its boards, in four queries however many there are; with the board of one device alone where it is given."""
    slugs = [op.slug for op in found]
    devices = list(Device.objects.filter(active=True, **({"pk": device} if device else {})))
    standing = Entry.objects.ranked().filter(op__in=slugs)
    counts = {(op, device): n for op, device, n in standing.order_by().values_list("op_id", "device_id").annotate(n=Count("pk"))}
    bests = {(e.op_id, e.device_id): highlight(e) for e in _best_of_each_board(slugs)}
    histories: dict[tuple[str, str], list[RecordPoint]] = defaultdict(list)
    for record in Record.objects.shown().filter(op__in=slugs, epoch=EPOCH):
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
    newest = Entry.objects.ranked().for_rows()
    return [highlight(entry) for entry in newest.order_by("-achieved_at", "-pk")[:limit]]


def recent_records(limit: int = 10) -> list[RecordNews]:
    """The records of the present epoch that were set last, newest first, standing or not."""
    newest = Record.objects.shown().filter(epoch=EPOCH).order_by("-held_from", "-pk")[:limit]
    return [RecordNews(record.op_id, record.device_id, _point(record)) for record in newest]


def record_history(op: str, device: str) -> list[RecordPoint]:
    """How the record of a board fell, oldest first, in all epochs."""
    return [_point(record) for record in Record.objects.shown().filter(op_id=op, device_id=device)]


def highlight(entry: Entry) -> Highlight:
    """Needs `for_rows()`."""
    submission = entry.evaluation.submission
    return Highlight(
        op=entry.op_id,
        device=entry.device_id,
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
    compiled = Entry.objects.ranked().filter(op__in=slugs, interpreted=False).for_rows()
    return compiled.order_by("op_id", "device_id", "-speedup", "achieved_at").distinct("op_id", "device_id")


def _point(record: Record) -> RecordPoint:
    return RecordPoint(
        author=record.author.get_username(),
        evaluation=record.evaluation_id,
        submission=record.evaluation.submission_id,
        speedup=record.speedup,
        speedup_low=record.speedup_low,
        speedup_high=record.speedup_high,
        time_us=record.time_us,
        held_from=record.held_from,
        held_until=record.held_until,
        epoch=record.epoch,
        ended_by=record.get_ended_by_display(),
    )

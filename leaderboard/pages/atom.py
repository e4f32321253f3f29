"""Atom feeds: `/records.atom` for all records, `/ops/<slug>/<device>/feed.atom` for what is new on one board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from leaderboard.models import Device, Entry, Op, Record
from submissions.templatetags.measures import plus_minus, ratio, time_us

LATEST = 50


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a feed. `id` stays the same when figures follow later runs."""

    id: str
    title: str
    said: str
    link: str
    author: str
    at: datetime
    updated: datetime


@dataclass(frozen=True, slots=True)
class Board:
    op: str
    device: str

    @property
    def name(self) -> str:
        return f"{self.op} on {self.device}"


class _Atom(Feed):  # type: ignore[type-arg]  # it takes no argument when it runs
    feed_type = Atom1Feed

    def item_title(self, item: object) -> str:
        return _line(item).title

    def item_description(self, item: object) -> str:
        return _line(item).said

    def item_link(self, item: object) -> str:
        return _line(item).link

    def item_guid(self, item: object) -> str:
        return _line(item).id

    def item_author_name(self, item: object) -> str:
        return _line(item).author

    def item_pubdate(self, item: object) -> datetime:
        return _line(item).at

    def item_updateddate(self, item: object) -> datetime:
        return _line(item).updated


class RecordsAtom(_Atom):
    """Every record that was set, on any board."""

    title = "Records of GPU kernels"
    subtitle = "Confirmed kernels that beat the record before them beyond the error, on every op and device."

    def link(self) -> str:
        return reverse("home")

    def items(self) -> Sequence[Item]:
        return [_record(record) for record in Record.objects.shown().order_by("-held_from", "-pk")[:LATEST]]


class BoardAtom(_Atom):
    """The entries and records of one board."""

    def get_object(self, request: HttpRequest, slug: str, device: str) -> Board:
        if not (Op.objects.filter(pk=slug).exists() and Device.objects.filter(pk=device).exists()):
            raise Http404("There is no such board.")
        return Board(slug, device)

    def title(self, board: Board) -> str:
        return f"Kernels for {board.name}"

    def subtitle(self, board: Board) -> str:
        return f"New entries and records of {board.name}."

    def link(self, board: Board) -> str:
        return reverse("board", args=[board.op, board.device])

    def items(self, board: Board) -> Sequence[Item]:
        entries = Entry.objects.ranked().on(board.op, board.device).for_rows().order_by("-achieved_at", "-pk")
        records = Record.objects.shown().filter(op_id=board.op, device_id=board.device).order_by("-held_from", "-pk")
        found = [*map(_entry, entries[:LATEST]), *map(_record, records[:LATEST])]
        return sorted(found, key=lambda item: item.at, reverse=True)[:LATEST]


def _line(item: object) -> Item:
    assert isinstance(item, Item)
    return item


def _record(record: Record) -> Item:
    author = record.author.get_username()
    return Item(
        id=f"urn:kbweb:record:{record.pk}",
        title=f"Record: {ratio(record.speedup)} on {record.op_id}, {record.device_id}, by {author}",
        said=f"{ratio(record.speedup)} {plus_minus(record.speedup_low, record.speedup_high)} over torch eager, {time_us(record.time_us)}.",
        link=_result(record.evaluation.submission_id, record.evaluation_id),
        author=author,
        at=record.held_from,
        updated=record.held_until or record.held_from,
    )


def _entry(entry: Entry) -> Item:
    author, submission = entry.author.get_username(), entry.evaluation.submission
    by = f" with {submission.agent}" if submission.agent else ""
    how = ", interpreted" if entry.interpreted else ""
    return Item(
        id=f"urn:kbweb:entry:{entry.pk}:{entry.normalised_sha256[:16]}",
        title=f"{ratio(entry.speedup)} by {author}{by} ({submission.kernel_type}{how})",
        said=f"{ratio(entry.speedup)} {plus_minus(entry.speedup_low, entry.speedup_high)} over torch eager, {time_us(entry.time_us)}, "
        f"{entry.get_confirmation_display()}.",
        link=_result(submission.pk, entry.evaluation_id),
        author=author,
        at=entry.achieved_at,
        updated=entry.updated_at,
    )


def _result(submission: str, evaluation: str) -> str:
    return f"{reverse('submission', args=[submission])}?evaluation={evaluation}"

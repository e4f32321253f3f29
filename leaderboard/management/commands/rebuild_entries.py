"""`manage.py rebuild_entries`: derive every entry again, after a rule changed or evaluations were withdrawn by hand."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from evaluator.contract import Flag
from leaderboard import competition_entries, entries, records
from leaderboard.eligibility import eligible_evaluations
from leaderboard.models import Entry
from leaderboard.news import Change


class Command(BaseCommand):
    help = "Derive every entry and record again from the evaluations. One transaction per entry; safe while the site runs."

    def handle(self, *args: object, **options: object) -> None:
        wanted = {(op, device, author, str(Flag.INTERPRETED) in flags, epoch) for op, device, author, flags, epoch in _runs()}
        wanted |= set(Entry.objects.filter(competition=None).values_list("op_id", "device_id", "author_id", "interpreted", "epoch"))
        changes = [
            entries.refresh(op, device, author, in_interpreter=flag, epoch=epoch)[1] for op, device, author, flag, epoch in sorted(wanted)
        ]
        records.close_earlier_epochs()
        changes += competition_entries.rebuild()
        changed = sum(change is not Change.NONE for change in changes)
        self.stdout.write(f"{len(changes)} entries looked at, {changed} changed")


def _runs() -> list[tuple[str, str, int, list[str], int]]:
    return list(eligible_evaluations(epoch=None).order_by().values_list("op", "device", "author_id", "flags", "epoch").distinct())

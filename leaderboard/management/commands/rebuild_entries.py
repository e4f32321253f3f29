"""`manage.py rebuild_entries`: derive every entry again, after a rule changed or evaluations were withdrawn by hand."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from evaluator.contract import Flag
from leaderboard import entries
from leaderboard.eligibility import eligible_evaluations
from leaderboard.models import Entry


class Command(BaseCommand):
    help = "Derive every entry and record again from the evaluations. One transaction per entry; safe while the site runs."

    def handle(self, *args: object, **options: object) -> None:
        wanted = {(op, device, author, str(Flag.INTERPRETED) in flags) for op, device, author, flags in _runs()}
        wanted |= set(Entry.objects.values_list("op_id", "device_id", "author_id", "interpreted"))
        changes = [entries.refresh(op, device, author, in_interpreter=flag)[1] for op, device, author, flag in sorted(wanted)]
        changed = sum(change is not entries.Change.NONE for change in changes)
        self.stdout.write(f"{len(changes)} entries looked at, {changed} changed")


def _runs() -> list[tuple[str, str, int, list[str]]]:
    return list(eligible_evaluations().order_by().values_list("op", "device", "author_id", "flags").distinct())

"""`manage.py load_catalogue`: ops and devices from the evaluator's registry."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from leaderboard import catalogue


class Command(BaseCommand):
    help = "Make the rows of ops and devices what the evaluator's registry says. Running it again changes nothing."

    def handle(self, *args: object, **options: object) -> None:
        loaded = catalogue.load()
        left = f"; deactivated: {', '.join(loaded.deactivated)}" if loaded.deactivated else ""
        self.stdout.write(f"{loaded.ops} ops, {loaded.devices} devices{left}")

"""`manage.py staff NAME`: make somebody staff, who moderate; `--no`: make them so no longer; without a name: who they are."""

from __future__ import annotations

import argparse

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Say who staff are, make somebody staff, or end that. Staff see everything and decide at /moderation/."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", default="", help="A user name.")
        parser.add_argument("--no", action="store_true", help="Staff no longer.")

    def handle(self, *args: object, **options: object) -> None:
        name, staff = str(options["name"]), not options["no"]
        if not name:
            for user in User.objects.filter(is_staff=True, is_active=True).order_by("username"):
                self.stdout.write(user.username + (" (administrator)" if user.is_superuser else ""))
            return
        if not User.objects.filter(username=name, is_active=True).update(is_staff=staff):
            raise CommandError(f"There is no account {name!r}.")
        self.stdout.write(f"{name} is staff now" if staff else f"{name} is not staff any more")

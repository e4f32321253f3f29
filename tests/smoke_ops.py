"""The ops of the suite `smoke` and all devices as rows. They are made once a worker and set aside: to describe them takes 30 ms a test."""

from __future__ import annotations

from django.db import connection, transaction

from evaluator.ops import registry
from leaderboard import catalogue
from leaderboard.models import Device, Op

ASIDE = {model._meta.db_table: f"kb_smoke_{model._meta.model_name}" for model in (Device, Op)}
"""Where the rows of a table are kept. Django knows none of these tables, so what empties its own after a test leaves them alone."""


@transaction.atomic
def set_aside() -> None:
    """Load them into the empty tables, copy the rows, and leave the tables empty."""
    assert not Op.objects.exists() and not Device.objects.exists()
    catalogue.load(registry.all_ops("smoke"))
    with connection.cursor() as cursor:
        for table, aside in ASIDE.items():
            cursor.execute(f"DROP TABLE IF EXISTS {aside}")
            cursor.execute(f"CREATE TABLE {aside} AS TABLE {table}")
    Op.objects.all().delete()
    Device.objects.all().delete()


def put_in() -> None:
    with connection.cursor() as cursor:
        for table, aside in ASIDE.items():
            cursor.execute(f"INSERT INTO {table} SELECT * FROM {aside}")

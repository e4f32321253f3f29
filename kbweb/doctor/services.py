"""Data directory, database, queue, workers, site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from kbweb.doctor.finding import Finding


def services(data_dir: Path) -> Iterator[Finding]:
    yield from _disk(data_dir)
    os.environ.setdefault("KB_DATA_DIR", str(data_dir))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
    if not os.environ.get("DATABASE_URL") and not (data_dir / "database.json").exists():
        yield Finding("warn", "database", "none yet", "kb up makes one here; or set DATABASE_URL.")
        return
    import django
    from django.db import DatabaseError, connection

    django.setup()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_version_num')::int, pg_is_in_recovery()")
            number, standby = cursor.fetchone() or (0, False)
    except DatabaseError as error:
        yield Finding("fail", "database", str(error).strip().split("\n")[0], "Start it (kb up), or check DATABASE_URL.")
        return
    kind = "external" if os.environ.get("DATABASE_URL") else "embedded"
    if standby or number < 150000:
        yield Finding("fail", "database", f"{kind}, PostgreSQL {number // 10000}", "A primary server of version 15 or newer is needed.")
        return
    yield Finding("ok", "database", f"{kind}, PostgreSQL {number // 10000}")
    yield from _migrations()
    yield from _workers()


def _disk(data_dir: Path) -> Iterator[Finding]:
    at = data_dir if data_dir.exists() else data_dir.parent
    free = shutil.disk_usage(at).free if at.exists() else 0
    said = f"{data_dir}, {free / 1e9:.1f} GB free"
    if data_dir.exists() and not os.access(data_dir, os.W_OK):
        yield Finding("fail", "data directory", f"{data_dir} cannot be written", "Set KB_DATA_DIR.")
    elif free < 1e9:
        yield Finding("warn", "data directory", said, "Free some space, or set KB_DATA_DIR to another disk.")
    else:
        yield Finding("ok", "data directory", said)


def _migrations() -> Iterator[Finding]:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        yield Finding("fail", "tables", f"{len(missing)} migrations have not run", "kb up, or python manage.py migrate")
    else:
        yield Finding("ok", "tables", "up to date")


def _workers() -> Iterator[Finding]:
    from django.conf import settings
    from django.db import DatabaseError

    from submissions.limits import WORKER_GONE_S
    from submissions.models import Worker

    yield Finding("ok", "queue", settings.BROKER_URL.split("@")[-1] if settings.BROKER_URL else "in the database")
    try:
        seen = list(Worker.objects.alive().order_by("queue", "name"))
    except DatabaseError as error:
        yield Finding("fail", "workers", str(error).strip().split("\n")[0], "kb up, or python manage.py migrate")
        return
    if not seen:
        yield Finding(
            "warn", "workers", f"none has reported in the last {WORKER_GONE_S:.0f} s", "kb up starts them; or kb worker device.cpu"
        )
    for worker in seen:
        said = f"{worker.queue}  {worker.device_name}  {worker.name}"
        yield Finding("ok", "worker", said) if worker.in_service else Finding("fail", "worker", said, worker.note)

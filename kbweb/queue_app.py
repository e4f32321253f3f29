"""dramatiq-postgres as a Django app for its tables, with the broker of `kbweb/broker.py` instead of its own."""

from __future__ import annotations

from dramatiq_postgres.django.apps import DramatiqPostgresConfig


class QueueConfig(DramatiqPostgresConfig):  # type: ignore[misc] # dramatiq-postgres has no types
    """Its tables and admin; the broker comes from `KB_BROKER_URL`."""

    def ready(self) -> None:
        from kbweb import broker

        broker.install()

"""The message broker by `KB_BROKER_URL`: PostgreSQL unless it says `redis://…` or `amqp://…`.

Messages are doorbells (`submissions/jobs.py`), so the PostgreSQL broker here never holds a request up: an enqueue that cannot be
done within seconds fails, and the sweeper rings again. It keeps no results and connects when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import dramatiq
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from dramatiq.middleware import CurrentMessage, Middleware, Retries, TimeLimit
from dramatiq_postgres.broker import QUERIES, PostgresBroker
from dramatiq_postgres.django.middleware import DbConnectionsMiddleware
from psycopg import Connection
from psycopg.types.json import Json
from psycopg_pool import ConnectionPool

if TYPE_CHECKING:
    Pool = ConnectionPool[Connection[tuple[object, ...]]]
else:
    Pool = ConnectionPool

WAIT_S = 3.0
_LIBPQ = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
_NOT_LIBPQ = {"pool", "server_side_binding", "isolation_level", "assume_role"}


def libpq_parameters(application_name: str = "kb-broker") -> dict[str, str]:
    """libpq's connection parameters of Django's database as it is now (a test run changes its name)."""
    known = connections["default"].settings_dict
    found = {libpq: str(known[name]) for name, libpq in _LIBPQ.items() if known.get(name)}
    options = {str(name): str(value) for name, value in known.get("OPTIONS", {}).items() if name not in _NOT_LIBPQ}
    return {"connect_timeout": "5", **options, **found, "application_name": application_name}


class LazyPool(Pool):
    """A connection pool that starts its threads and connects when a connection is first asked for."""

    def __init__(self) -> None:
        super().__init__(
            "",
            kwargs=libpq_parameters,
            min_size=0,
            max_size=8,
            open=False,
            timeout=WAIT_S,
            reconnect_timeout=WAIT_S,
            check=ConnectionPool.check_connection,
        )

        self._asked_for = False

    def getconn(self, timeout: float | None = None) -> Connection[tuple[object, ...]]:
        if not self._asked_for:
            self._asked_for = True
            self.open()
        return super().getconn(timeout)


class DoorbellBroker(PostgresBroker):  # type: ignore[misc] # dramatiq-postgres has no types
    """dramatiq-postgres, whose enqueue tries once instead of ten times with growing pauses. One message id is one row."""

    def enqueue(self, message: dramatiq.Message[object], *, delay: int | None = None) -> dramatiq.Message[object]:
        self.emit_before("enqueue", message, delay)
        row = (message.queue_name, message.message_id, Json(message.asdict()), delay or 0)
        with self.pool.connection(timeout=WAIT_S) as connection:
            connection.execute(QUERIES.ENQUEUE, row)
        self.emit_after("enqueue", message, delay)
        return message

    def close(self) -> None:
        super().close()
        self.pool.close()


def middleware() -> list[Middleware]:
    """Time limits, no retries (an evaluation counts its own attempts), and Django connections closed between jobs."""
    return [TimeLimit(), CurrentMessage(), Retries(max_retries=0), DbConnectionsMiddleware()]


def make_broker(url: str) -> dramatiq.Broker:
    """The broker for `url`; empty or `postgresql://` means Django's database. Raises `ImproperlyConfigured`."""
    scheme = urlsplit(url).scheme
    if scheme in ("", "postgres", "postgresql"):
        pool: dict[str, object] = {"url": url} if scheme else {"pool": LazyPool()}
        return DoorbellBroker(**pool, results=False, middleware=middleware())
    try:
        if scheme in ("redis", "rediss"):
            from dramatiq.brokers.redis import RedisBroker

            return RedisBroker(url=url, middleware=middleware())  # type: ignore[no-untyped-call]
        if scheme in ("amqp", "amqps"):
            from dramatiq.brokers.rabbitmq import RabbitmqBroker

            return RabbitmqBroker(url=url, middleware=middleware(), confirm_delivery=True)
    except ImportError as error:
        raise ImproperlyConfigured(
            f"KB_BROKER_URL starts with {scheme}://, whose client is not installed: pip install 'dramatiq[redis,rabbitmq]'"
        ) from error
    raise ImproperlyConfigured(f"KB_BROKER_URL must start with postgresql://, redis:// or amqp://, not {scheme}://")


def install() -> None:
    """Make the configured broker the one that actors are declared on. Called once, before `submissions.jobs` is imported."""
    dramatiq.set_broker(make_broker(settings.BROKER_URL))

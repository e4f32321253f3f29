"""One connection per process that LISTENs, and wakes whoever waits for a stream.

A notification is a hint: it names a stream and carries no data. After a reconnect everyone is woken, because notifications may
have been missed meanwhile.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable

import psycopg
import structlog
from django.conf import settings
from psycopg.conninfo import make_conninfo

from kbweb.broker import libpq_parameters
from submissions.streams import CHANNEL

NAME = "kb-listener"
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
LOOK_S = 0.5

Wake = Callable[[str | None], None]
"""Called with the stream that has news, or None when any may have."""

log = structlog.get_logger(__name__)


class Listener(threading.Thread):
    """The listening thread. `subscribe` may be called before it has started, and from any thread."""

    def __init__(self) -> None:
        super().__init__(name="kb-listener", daemon=True)
        self.listening = threading.Event()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._subscribers: dict[str | None, list[Wake]] = defaultdict(list)

    def subscribe(self, stream: str | None, wake: Wake) -> Callable[[], None]:
        """Call `wake` (in the listener's thread; it must return at once) when `stream`, or any if None, has news. Returns the undoing."""
        with self._lock:
            self._subscribers[stream].append(wake)

        def undo() -> None:
            with self._lock:
                self._subscribers[stream].remove(wake)
                if not self._subscribers[stream]:
                    del self._subscribers[stream]

        return undo

    def end(self) -> None:
        self._ended.set()

    def run(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._ended.is_set():
            try:
                with _connect() as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    pause_s = FIRST_PAUSE_S
                    self.listening.set()
                    self._wake(None)
                    self._receive(connection)
            except psycopg.Error as error:
                log.warning("listener_disconnected", error=str(error).strip().split("\n")[0], again_in_s=pause_s)
                self.listening.clear()
                self._ended.wait(pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        self.listening.clear()

    def _receive(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        while not self._ended.is_set():
            for notification in connection.notifies(timeout=LOOK_S):
                self._wake(notification.payload.rpartition(" ")[0])
                if self._ended.is_set():
                    return

    def _wake(self, stream: str | None) -> None:
        with self._lock:
            if stream is None:
                wakes = [wake for subscribers in self._subscribers.values() for wake in subscribers]
            else:
                wakes = [*self._subscribers.get(stream, ()), *self._subscribers.get(None, ())]
        for wake in wakes:
            try:
                wake(stream)
            except Exception:
                log.exception("wake_failed", stream=stream)


def _connect() -> psycopg.Connection[tuple[object, ...]]:
    """A connection of its own: by `KB_LISTEN_URL` (past a transaction-mode pooler), else as Django's."""
    if url := getattr(settings, "LISTEN_URL", ""):
        return psycopg.connect(url, autocommit=True, application_name=NAME, connect_timeout=5)
    return psycopg.connect(make_conninfo(**libpq_parameters(NAME)), autocommit=True)


_shared: Listener | None = None
_sharing = threading.Lock()


def shared() -> Listener:
    """The listener of this process, started when first asked for (by the ASGI lifespan, or by the first waiting request)."""
    global _shared
    with _sharing:
        if _shared is None or not _shared.is_alive():
            _shared = Listener()
            _shared.start()
        return _shared


def end_shared() -> None:
    """Stop this process's listener."""
    global _shared
    with _sharing:
        if _shared is not None:
            _shared.end()
            _shared.join(timeout=5.0)
            _shared = None

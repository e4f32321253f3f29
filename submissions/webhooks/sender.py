"""One POST to somebody else's server, which may be slow, endless or hostile: no redirects, no proxies, bounded time, nothing believed."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from submissions.webhooks.targets import BadTarget, Target, resolve

WITHIN_S = 10.0
"""From the first packet to the last, however the answer trickles in."""
MAX_ANSWER = 4096
"""So much of the answer is read, and thrown away: the status says all."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it. `status` is None when no answer came; `error` is empty for 2xx."""

    status: int | None
    error: str
    took_ms: int


class _Pinned(http.client.HTTPConnection):
    """A connection to the first that answers of addresses that were looked up and checked before.

    TLS asks for the certificate of the host's name.
    """

    def __init__(self, target: Target, addresses: Sequence[str]) -> None:
        super().__init__(target.host, target.port, timeout=WITHIN_S)
        self.secure = target.scheme == "https"
        self.addresses = addresses
        self.default_port = 443 if self.secure else 80  # the Host header names any other

    def connect(self) -> None:
        self.sock = self._first()
        self.sock.settimeout(WITHIN_S)
        if self.secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock.do_handshake()

    def _first(self) -> socket.socket:
        each_s = WITHIN_S / len(self.addresses)
        for address in self.addresses[:-1]:
            with contextlib.suppress(OSError):
                return socket.create_connection((address, self.port), each_s)
        return socket.create_connection((self.addresses[-1], self.port), each_s)

    def cut(self) -> None:
        """End what another thread waits for. Called on the bare socket: the TLS layer must not be touched from two threads."""
        with contextlib.suppress(OSError, TypeError):
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def post(target: Target, body: bytes, headers: Mapping[str, str], within_s: float = WITHIN_S) -> Answer:
    """Send `body` and look at the status of the answer. Never raises for what the other side or the network does."""
    started = time.monotonic()
    late = threading.Event()

    def took_ms() -> int:
        return round((time.monotonic() - started) * 1000)

    try:
        connection = _Pinned(target, resolve(target))
    except BadTarget as error:
        return Answer(None, str(error), took_ms())

    def cut() -> None:
        late.set()
        connection.cut()

    timer = threading.Timer(within_s, cut)
    timer.daemon = True
    timer.start()
    status: int | None
    try:
        connection.connect()
        if late.is_set():
            raise TimeoutError
        connection.request("POST", target.path, body, dict(headers))
        answer = connection.getresponse()
        answer.read(MAX_ANSWER)
        status = None if late.is_set() else answer.status  # what was cut looks like an end to http.client
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(None, f"No answer within {within_s:g} s." if late.is_set() else _said(error), took_ms())
    finally:
        timer.cancel()
        connection.close()
    return Answer(status, _why(status) if status else f"No answer within {within_s:g} s.", took_ms())


def _why(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"It answered {status}: redirects are not followed, give the final address."
    return f"It answered {status}."


def _said(error: Exception) -> str:
    """A sentence for the log of deliveries: what failed, without the words of the other side."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"Its certificate is not good: {error.verify_message}."
    if isinstance(error, ssl.SSLError):
        return "TLS failed: does it speak https on this port?"
    if isinstance(error, TimeoutError):
        return f"No answer within {WITHIN_S:g} s."
    if isinstance(error, ConnectionRefusedError):
        return "The connection was refused: nothing listens there."
    if isinstance(error, http.client.RemoteDisconnected | ConnectionResetError | BrokenPipeError):
        return "It closed the connection without an answer."
    if isinstance(error, http.client.HTTPException):
        return "Its answer is not HTTP."
    return f"The connection failed: {error.strerror or type(error).__name__}." if isinstance(error, OSError) else "Its answer is not HTTP."

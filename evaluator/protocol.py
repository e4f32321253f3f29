"""Length-prefixed JSON over a Unix socket pair: the only way in which judge and candidate talk.

A frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON, always an object. File descriptors travel
beside the first byte (SCM_RIGHTS) and only towards the candidate: the judge reads with plain `recv`, so descriptors that
a candidate sends are dropped by the kernel. Standard library only: the candidate imports this inside its sandbox.
"""

from __future__ import annotations

import array
import json
import os
import select
import socket
import struct
import time
from collections.abc import Sequence

PROTOCOL_VERSION = 1
TO_CANDIDATE_BYTES = 8 * 1024 * 1024
FROM_CANDIDATE_BYTES = 1024 * 1024
MAX_DESCRIPTORS = 16

_HEADER = struct.Struct(">I")


class ProtocolError(Exception):
    """The other side sent something that is not of this protocol."""


class ChannelClosed(Exception):
    """The other side closed the channel, as it does when its process ends."""


class ChannelTimeout(Exception):
    """No whole frame came before the deadline."""


class Channel:
    """One end of the socket pair. Not thread-safe."""

    def __init__(self, sock: socket.socket, *, max_frame_bytes: int) -> None:
        self._sock = sock
        self._max = max_frame_bytes
        self._buffer = bytearray()
        sock.setblocking(True)

    def fileno(self) -> int:
        return self._sock.fileno()

    def close(self) -> None:
        self._sock.close()

    def send(self, message: dict[str, object], fds: Sequence[int] = (), *, deadline: float | None = None) -> None:
        """Send one frame. Raises `ChannelClosed`, or `ChannelTimeout` when the other side does not read until `deadline` (monotonic)."""
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        data = memoryview(_HEADER.pack(len(body)) + body)
        try:
            if fds:
                rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
                data = data[self._sock.sendmsg([data], rights) :]
            while data:
                self._wait(writable=True, deadline=deadline)
                data = data[self._sock.send(data, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL) :]
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ChannelClosed from error

    def receive(self, *, deadline: float | None = None) -> dict[str, object]:
        """Next frame. Raises `ChannelClosed`, `ChannelTimeout` or `ProtocolError`. Descriptors are refused.

        What came of a frame is kept after a `ChannelTimeout`, so that a later call goes on with it.
        """
        late = False
        while True:
            frame = self._take()
            if frame is not None:
                return frame
            if late:  # a sender who never stops must not keep us past the deadline
                raise ChannelTimeout
            self._wait(writable=False, deadline=deadline)
            try:
                chunk = self._sock.recv(65536, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except ConnectionResetError as error:
                raise ChannelClosed from error
            if not chunk:
                raise ChannelClosed
            self._buffer += chunk
            late = deadline is not None and time.monotonic() > deadline

    def receive_with_fds(self) -> tuple[dict[str, object], list[int]]:
        """Next frame and the descriptors that came with it (candidate's side, which trusts the judge)."""
        fds: list[int] = []
        while True:
            frame = self._take()
            if frame is not None:
                return frame, fds
            try:
                chunk, ancillary, _flags, _address = self._sock.recvmsg(65536, socket.CMSG_SPACE(4 * MAX_DESCRIPTORS))
            except ConnectionResetError as error:
                raise ChannelClosed from error
            for level, kind, data in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    numbers = array.array("i")
                    numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
                    fds += numbers
            if not chunk:
                raise ChannelClosed
            self._buffer += chunk

    def ready(self, timeout_s: float) -> bool:
        """True when a read would not wait."""
        return bool(self._buffer) or bool(select.select([self._sock], [], [], timeout_s)[0])

    def _wait(self, *, writable: bool, deadline: float | None) -> None:
        if self._sock.fileno() < 0:
            raise ChannelClosed  # by ourselves, as when a command was cancelled
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
        poller = select.poll()
        poller.register(self._sock, select.POLLOUT if writable else select.POLLIN)
        if not poller.poll(None if timeout is None else timeout * 1000):
            raise ChannelTimeout

    def _take(self) -> dict[str, object] | None:
        if len(self._buffer) < _HEADER.size:
            return None
        (length,) = _HEADER.unpack_from(self._buffer)
        if length > self._max:
            raise ProtocolError(f"a frame of {length} bytes, {self._max} are allowed")
        if len(self._buffer) < _HEADER.size + length:
            return None
        body = bytes(self._buffer[_HEADER.size : _HEADER.size + length])
        del self._buffer[: _HEADER.size + length]
        try:
            frame = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ProtocolError("a frame that is not JSON") from error
        if not isinstance(frame, dict):
            raise ProtocolError("a frame that is not an object")
        return frame


def pair() -> tuple[socket.socket, socket.socket]:
    """Judge's and candidate's ends; the candidate's is inheritable."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    os.set_inheritable(theirs.fileno(), True)
    return ours, theirs

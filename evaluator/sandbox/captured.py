"""What a process prints: read as fast as it comes, kept up to a cap, never a reason for the process to wait."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading

_PIPE_BYTES = 1 << 20
_SET_PIPE_SIZE = 1031


class CapturedOutput:
    """A pipe drained by a thread. The first and last `cap_bytes / 2` are kept, the middle is counted and dropped."""

    def __init__(self, cap_bytes: int) -> None:
        self._half = max(1, cap_bytes // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0
        self._guard = threading.Lock()
        self._reader, self.writer = os.pipe2(os.O_CLOEXEC)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._reader, _SET_PIPE_SIZE, _PIPE_BYTES)
        self._thread = threading.Thread(target=self._drain, name="sandbox-output", daemon=True)

    def start(self) -> None:
        """Begin to read, once the child holds the writing end; ours is closed."""
        os.close(self.writer)
        self._thread.start()

    def join(self, timeout_s: float) -> bool:
        """Wait until every writer is gone; True when all was read."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def text(self) -> tuple[str, bool]:
        """What was printed so far, undecodable bytes replaced, and whether the middle was cut."""
        with self._guard:
            head, tail, dropped = bytes(self._head), bytes(self._tail), self._dropped
        if not dropped:
            return (head + tail).decode(errors="replace"), False
        cut = f"\n[… {dropped} bytes cut …]\n"
        return head.decode(errors="replace") + cut + tail.decode(errors="replace"), True

    def since(self, position: int) -> tuple[bytes, int]:
        """What was printed after the first `position` bytes, as far as it is kept, and the position now: for whoever reads along."""
        with self._guard:
            now = len(self._head) + self._dropped + len(self._tail)
            head = bytes(self._head[position:])
            tail_from = len(self._head) + self._dropped
            tail = bytes(self._tail[max(0, position - tail_from) :])
        return head + tail, now

    def _drain(self) -> None:
        while True:
            try:
                chunk = os.read(self._reader, _PIPE_BYTES)
            except OSError:
                break
            if not chunk:
                break
            self._keep(chunk)
        os.close(self._reader)

    def _keep(self, chunk: bytes) -> None:
        with self._guard:
            room = self._half - len(self._head)
            if room > 0:
                self._head += chunk[:room]
                chunk = chunk[room:]
            self._tail += chunk
            excess = len(self._tail) - self._half
            if excess > 0:
                del self._tail[:excess]
                self._dropped += excess

"""Where the seconds of an evaluation go."""

from __future__ import annotations

import time


class Stopwatch:
    """Adds the seconds of a `with` block to a dictionary, whatever ends it."""

    def __init__(self, seconds: dict[str, float], name: str) -> None:
        self._seconds, self._name = seconds, name

    def __enter__(self) -> None:
        self._start = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._seconds[self._name] = self._seconds.get(self._name, 0.0) + time.monotonic() - self._start

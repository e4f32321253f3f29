"""What a candidate prints, told while it runs: for people who watch. The outcome has the whole log in any case."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from evaluator.contract import Event
from evaluator.judge.peer import Process

MOST_AT_ONCE = 4 * 1024
"""Bytes of one event. It is asked about ten times a second; who prints more than can be read is shown the newest."""
MOST_IN_ALL = 256 * 1024


class Printed:
    """Emits `log` events of one process, each byte at most once. Does nothing until `follow`."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._process: Process | None = None
        self._position = 0
        self._told = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def follow(self, process: Process) -> None:
        """From now on tell what this process prints. What it printed before, in the harness, counts as told."""
        self._process = process
        _, self._position = process.printed(0)

    def told_when(self, asked: Callable[[], bool], allowed: Callable[[], bool]) -> Callable[[], bool]:
        """The question `asked`, which also tells what was printed: it comes about ten times a second while a command waits.

        Only while that is `allowed`: nothing is told beside a clock.
        """

        def question() -> bool:
            if allowed():
                self.tell()
            return asked()

        return question

    def tell(self) -> None:
        """Emit what is new."""
        if self._process is None or self._told >= MOST_IN_ALL:
            return
        data, self._position = self._process.printed(self._position)
        if not data:
            return
        passed_over = len(data) - MOST_AT_ONCE
        if passed_over > 0:
            self._decoder.reset()
            data = data[-MOST_AT_ONCE:]
        self._told += len(data)
        text = self._decoder.decode(data)
        if passed_over > 0:
            text = f"[… {passed_over} bytes are not shown while it runs …]\n{text}"
        if self._told >= MOST_IN_ALL:
            text += "\n[… more is not shown while it runs …]\n"
        if text:
            self._emit(Event("log", {"text": text.replace("\x00", "\ufffd")}))

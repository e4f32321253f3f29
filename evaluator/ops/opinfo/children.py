"""Entries are built in processes of their own: a sample with other values than the database's can bring torch itself down."""

from __future__ import annotations

import multiprocessing
import os
import queue
import typing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection

from evaluator.ops.admission import Admitted, Refused
from evaluator.ops.admission.examine import reason_of
from evaluator.ops.opinfo.entries import label, select

LIMIT_S = 300.0
"""For one entry, the start of its process and the import of torch included."""
END_S = 10.0


@dataclass(frozen=True, slots=True)
class Built:
    """What came of one entry: an op, or a reason."""

    label: str
    admitted: Admitted | None = None
    refused: str = ""


def build_here(name: str, suite: str) -> Built:
    """In this process."""
    from evaluator.ops.opinfo.offer import admit_entry

    entry = next(entry for entry in select([name]) if label(entry) == name)
    try:
        return Built(name, admit_entry(entry, suite))
    except Refused as error:
        return Built(name, refused=str(error))
    except Exception as error:  # entries are code of many authors, and of another version of torch
        return Built(name, refused=f"it cannot be made into an op: {reason_of(error)}")


class Child:
    """A process that builds one entry after the other, and is replaced when one brings it down."""

    def __init__(self, suite: str, work: Callable[[str, str], Built] = build_here, limit_s: float = LIMIT_S) -> None:
        self._suite, self._work, self._limit_s = suite, work, limit_s
        self._process: multiprocessing.process.BaseProcess | None = None
        self._ours: Connection | None = None

    def build(self, name: str) -> Built:
        ours = self._started()
        try:
            ours.send(name)
            if ours.poll(self._limit_s):
                return typing.cast("Built", ours.recv())
            why = f"it takes more than {self._limit_s:g} s"
        except (EOFError, OSError):
            why = f"torch brings its process down ({self._ending()})"
        self.close()
        return Built(name, refused=why)

    def close(self) -> None:
        if self._process is not None and self._ours is not None:
            self._ours.close()
            self._process.kill()
            self._process.join()
        self._process = self._ours = None

    def _started(self) -> Connection:
        if self._ours is None:
            spawning = multiprocessing.get_context("spawn")
            self._ours, theirs = spawning.Pipe()
            self._process = spawning.Process(target=_serve, args=(theirs, self._work, self._suite), daemon=True)
            self._process.start()
            theirs.close()
        return self._ours

    def _ending(self) -> str:
        if self._process is None:
            return "it had not begun"
        self._process.join(END_S)
        code = self._process.exitcode
        return f"signal {-code}" if code is not None and code < 0 else f"exit status {code}"


def _serve(theirs: Connection, work: Callable[[str, str], Built], suite: str) -> None:
    os.dup2(2, 1)  # libraries below torch print their complaints; standard output is somebody's JSON
    os.environ["OMP_NUM_THREADS"] = "1"  # torch, not imported yet, reads it
    while True:
        try:
            name = theirs.recv()
        except EOFError:
            return
        theirs.send(work(name, suite))


def build_apart(names: Sequence[str], suite: str, processes: int, work: Callable[[str, str], Built] = build_here) -> Iterator[Built]:
    """In so many processes, in order of `names`."""
    children = [Child(suite, work) for _ in range(max(1, min(processes, len(names))))]
    idle: queue.Queue[Child] = queue.Queue()
    for child in children:
        idle.put(child)

    def one(name: str) -> Built:
        child = idle.get()
        try:
            return child.build(name)
        finally:
            idle.put(child)

    pool = ThreadPoolExecutor(len(children))
    try:
        yield from pool.map(one, names)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.close()

"""Files that profilers leave: bounded in number and size, under names of our making, in a private folder until somebody stores them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evaluator.profiles import MAX_ARTEFACT_BYTES, MAX_ARTEFACTS, MAX_ARTEFACTS_BYTES, ArtefactKind, ArtefactNote
from evaluator.profiling import bounded

MOST_LEFT_OUT = 8
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_STRANGE = re.compile(r"[^A-Za-z0-9_]+")


class ArtefactError(ValueError):
    """A file is not what its note says."""


@dataclass(frozen=True, slots=True)
class Artefact:
    """A file and what is known of it."""

    note: ArtefactNote
    data: bytes


class Shelf:
    """Where a run puts its artefacts: files in `folder`, which is the caller's and private; None keeps nothing.

    What has no place there is noted in words, which each tool takes along into its report.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._notes: list[ArtefactNote] = []
        self._left_out: list[str] = []

    @property
    def notes(self) -> tuple[ArtefactNote, ...]:
        return tuple(self._notes)

    def put(self, name: str, kind: ArtefactKind, data: bytes) -> str:
        """Keep `data` and return the name under which it is kept; "" when there is nothing to keep, nothing to keep it in, or no room.

        `name` is a plain file name made with `plain` where it holds anything of the submission's.
        """
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a plain file name")
        if self._folder is None or not data:
            return ""
        if why := self._no_room(name, len(data)):
            self.leave_out(f"{name}: {why}")
            return ""
        handle = os.open(self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        self._notes.append(ArtefactNote(name, kind, len(data), hashlib.sha256(data).hexdigest()))
        return name

    def leave_out(self, what: str) -> None:
        """Note in one sentence what is not kept, and why."""
        self._left_out.append(bounded.text(what))

    def take_left_out(self) -> tuple[str, ...]:
        """What was left out since this was asked the last time."""
        taken, self._left_out = self._left_out, []
        rest = len(taken) - MOST_LEFT_OUT
        return (*taken[:MOST_LEFT_OUT], *([f"and {rest} more"] if rest > 0 else []))

    def _no_room(self, name: str, size: int) -> str:
        if size > MAX_ARTEFACT_BYTES:
            return f"{size / 2**20:.1f} MiB, a file has at most {MAX_ARTEFACT_BYTES >> 20} MiB"
        if len(self._notes) >= MAX_ARTEFACTS:
            return f"there are {MAX_ARTEFACTS} files already"
        if sum(note.size_bytes for note in self._notes) + size > MAX_ARTEFACTS_BYTES:
            return f"all files together have at most {MAX_ARTEFACTS_BYTES >> 20} MiB"
        return "a file of this name is there already" if any(note.name == name for note in self._notes) else ""


def plain(text: str) -> str:
    """What of a kernel's name can be part of a file name."""
    return _STRANGE.sub("_", text)[:48].strip("_") or "kernel"


def read(folder: Path, notes: Iterable[ArtefactNote]) -> list[Artefact]:
    """The files of `notes`. Raises `ArtefactError` when one is missing, too large, or has other bytes than its note says."""
    found = []
    for note in notes:
        if not NAME.fullmatch(note.name) or note.size_bytes > MAX_ARTEFACT_BYTES:
            raise ArtefactError(f"{note.name[:80]!r} of {note.size_bytes} bytes is not allowed")
        try:
            handle = os.open(folder / note.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise ArtefactError(f"{note.name} cannot be read: {error.strerror}") from error
        with os.fdopen(handle, "rb") as file:
            data = file.read(note.size_bytes + 1)
        if hashlib.sha256(data).hexdigest() != note.sha256:
            raise ArtefactError(f"{note.name} does not hold the bytes that its note names")
        found.append(Artefact(note, data))
    if len(found) > MAX_ARTEFACTS or sum(len(one.data) for one in found) > MAX_ARTEFACTS_BYTES:
        raise ArtefactError(f"more than {MAX_ARTEFACTS} files or {MAX_ARTEFACTS_BYTES} bytes")
    return found

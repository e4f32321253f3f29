"""A source as it lies in a file: read whole, and refused with a sentence when it is no text that can be judged."""

from __future__ import annotations

from pathlib import Path

from evaluator.contract import MAX_SOURCE_BYTES


class SourceFileError(ValueError):
    """The file holds nothing that can be judged."""


def read_source(path: Path) -> str:
    """The text of `path`. Raises `SourceFileError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceFileError(f"{path} cannot be read: {error.strerror}") from error
    if not data.strip():
        raise SourceFileError(f"{path} is empty")
    if len(data) > MAX_SOURCE_BYTES:
        raise SourceFileError(f"{path} has {len(data)} bytes, {MAX_SOURCE_BYTES} are allowed")
    if b"\x00" in data:
        raise SourceFileError(f"{path} holds NUL bytes; a source is UTF-8 text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceFileError(f"{path} is not UTF-8: byte {error.start}") from error

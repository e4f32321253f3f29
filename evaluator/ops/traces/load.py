"""Where traces lie: a text file, a parquet file, or a folder with such files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluator.ops.admission.report import Complaint
from evaluator.ops.traces.parquet import read_table
from evaluator.ops.traces.recipe import Recipe
from evaluator.ops.traces.text import read_lines

SAMPLE = Path(__file__).parent / "sample.txt"
"""A small trace of our own, with shapes of public models."""
KINDS = (".txt", ".parquet")
MOST_BYTES = 512 * 1024 * 1024
MOST_FILES = 10_000


class SourceError(ValueError):
    """There is no trace where one was expected."""


def load(path: Path) -> Iterator[Recipe | Complaint]:
    """All calls in the file or below the folder, in order of names. Raises `SourceError` and `ParquetError`."""
    for file in _files(path):
        if file.stat().st_size > MOST_BYTES:
            raise SourceError(f"{file} has more than {MOST_BYTES} bytes")
        if file.suffix == ".parquet":
            yield from read_table(file)
        else:
            with file.open(encoding="utf-8", errors="replace") as lines:
                yield from read_lines(lines, file.name)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        if path.suffix not in KINDS:
            raise SourceError(f"{path} is neither {' nor '.join(KINDS)}")
        return [path]
    if not path.is_dir():
        raise SourceError(f"{path} does not exist")
    found = sorted(file for file in path.rglob("*") if file.suffix in KINDS and file.is_file())
    if not found or len(found) > MOST_FILES:
        raise SourceError(f"{path} holds {len(found)} files of the kinds {' and '.join(KINDS)}; from 1 to {MOST_FILES} are wanted")
    return found

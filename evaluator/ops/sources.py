"""Where ops given as data come from. A new source is an entry in `SOURCES`; `python -m evaluator import` and `kb import` know it then."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evaluator.ops.admission import Report

Progress = Callable[[str], None]


class SourceFault(ValueError):
    """What was named cannot be imported; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """`load(path, suite, only, progress)`: `path` None takes what the source has by itself; `only` narrows by parts of names.

    Raises `SourceFault`. `takes` says what a path may be, for help texts.
    """

    suite: str
    takes: str
    load: Callable[[Path | None, str, Sequence[str], Progress], Report]


def _backendbench(path: Path | None, suite: str, only: Sequence[str], progress: Progress) -> Report:
    from evaluator.ops.traces.build import build
    from evaluator.ops.traces.load import SAMPLE, SourceError, load
    from evaluator.ops.traces.parquet import ParquetError

    try:
        return build(load(path or SAMPLE), suite, only, progress)
    except (SourceError, ParquetError) as error:
        raise SourceFault(str(error)) from error


def _opinfo(path: Path | None, suite: str, only: Sequence[str], progress: Progress) -> Report:
    from evaluator.ops.opinfo.build import build
    from evaluator.ops.opinfo.entries import DatabaseError

    if path is not None and path.exists() and not path.is_dir():
        raise SourceFault(f"{path} is no folder")
    try:
        return build(suite=suite, only=only, processes=len(os.sched_getaffinity(0)), cache=path, progress=progress)
    except DatabaseError as error:
        raise SourceFault(str(error)) from error


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "backendbench": Source(
            "torchbench", "a trace (.txt or .parquet) or a folder of traces; a small one of our own when none is named", _backendbench
        ),
        "opinfo": Source(
            "opinfo", "a folder that keeps what was built, so that the next import is quick; none when none is named", _opinfo
        ),
    }
)

"""All entries of the database, or some, as ops: in processes of their own, and with a cache on disk."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from evaluator.jsonable import JSON
from evaluator.ops.admission import Admitted, Complaint, Dropped, Report
from evaluator.ops.opinfo.children import Built, build_apart, build_here
from evaluator.ops.opinfo.entries import label, select
from evaluator.ops.recorded import FORMAT, DocumentError, read

SUITE = "opinfo"
REVISION = 3
"""Of what this package makes of an entry: higher when the same entry would give another document."""


def build(
    names: Sequence[str] | None = None,
    *,
    suite: str = SUITE,
    only: Sequence[str] = (),
    processes: int = 1,
    cache: Path | None = None,
    progress: Callable[[str], None] = lambda _text: None,
) -> Report:
    """Every entry that `names` select becomes an op of the suite, or a complaint. Needs torch; computes on the CPU.

    `only`: texts of which an entry's name must hold one. `progress` hears each name when its work is done.
    `processes` 0 builds in this process, which an entry may bring down. `cache` is a folder; what is found there for this version of
    torch is not built again. Raises `UnknownEntry`, `DatabaseError`.
    """
    labels = [name for name in map(label, select(names)) if not only or any(text in name for text in only)]
    known = {name: built for name in labels if (built := _cached(cache, suite, name)) is not None}
    missing = [name for name in labels if name not in known]
    for built in _built(missing, suite, processes):
        progress(built.label)
        known[built.label] = built
        _keep(cache, suite, built)
    done = [known[name] for name in labels]
    return Report(
        suite,
        tuple(built.admitted for built in done if built.admitted is not None),
        tuple(Complaint(f"{suite}/{built.label}", built.refused) for built in done if built.admitted is None),
    )


def _built(names: Sequence[str], suite: str, processes: int) -> Iterable[Built]:
    return build_apart(names, suite, processes) if processes else (build_here(name, suite) for name in names)


def _file(cache: Path, suite: str, name: str) -> Path:
    import torch

    return cache / f"torch-{torch.__version__}_format-{FORMAT}_revision-{REVISION}" / suite / f"{name}.json"


def _cached(cache: Path | None, suite: str, name: str) -> Built | None:
    """None where there is nothing, or nothing that can be read."""
    if cache is None:
        return None
    try:
        found = json.loads(_file(cache, suite, name).read_text(encoding="utf-8"))
        if "refused" in found:
            return Built(name, refused=str(found["refused"]))
        dropped = tuple(Dropped(str(case), str(reason)) for case, reason in found["dropped"])
        return Built(name, Admitted(read(found["document"]), dropped))
    except (OSError, ValueError, KeyError, TypeError, DocumentError):
        return None


def _keep(cache: Path | None, suite: str, built: Built) -> None:
    if cache is None:
        return
    content: dict[str, JSON] = {"refused": built.refused}
    if built.admitted is not None:
        dropped = typing.cast("JSON", [[each.case, each.reason] for each in built.admitted.dropped])
        content = {"document": built.admitted.document, "dropped": dropped}
    file = _file(cache, suite, built.label)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.replace(file)

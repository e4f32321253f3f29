"""Starter sources: the code that the submit page offers for an op and a kernel type. Each is a file in `starters/`."""

from __future__ import annotations

from importlib import resources

STARTER_TYPES = ("torch", "triton")


def load(slug: str) -> dict[str, str]:
    """Starter source per kernel type that has one."""
    folder = resources.files("evaluator.ops") / "starters"
    files = {kind: folder / f"{slug}_{kind}.py" for kind in STARTER_TYPES}
    return {kind: file.read_text(encoding="utf-8") for kind, file in files.items() if file.is_file()}

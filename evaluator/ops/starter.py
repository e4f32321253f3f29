"""Starter sources: the code that the submit page offers for an op and a kernel type. Each is a file in `starters/`."""

from __future__ import annotations

from importlib import resources

STARTER_TYPES = ("torch", "triton")


def load(slug: str) -> dict[str, str]:
    """Starter source per kernel type."""
    folder = resources.files("evaluator.ops") / "starters"
    return {kind: (folder / f"{slug}_{kind}.py").read_text(encoding="utf-8") for kind in STARTER_TYPES}

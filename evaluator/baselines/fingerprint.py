"""Whether figures still belong to the machine as it is now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

PARTS = ("device_name", "driver", "cuda", "torch", "triton", "epoch")
"""What moves times when it changes; names are those of an outcome's environment. The epoch is the evaluator's: a new version that moves no
number keeps it."""


def fingerprint(environment: Mapping[str, object]) -> str:
    """Equal for environments that differ in nothing that counts. A part that an environment does not tell counts as such."""
    parts = {name: environment.get(name) for name in PARTS}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def changed(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """What changed, in words: `torch 2.12.0 → 2.13.0`."""
    pairs = ((name, before.get(name), now.get(name)) for name in PARTS)
    return [f"{name.replace('_', ' ')} {_said(old)} → {_said(new)}" for name, old, new in pairs if old != new]


def _said(value: object) -> str:
    return "none" if value is None else str(value)

"""Normalisations."""

from __future__ import annotations

from evaluator.ops.definition import Op

OPS: tuple[Op, ...] = ()

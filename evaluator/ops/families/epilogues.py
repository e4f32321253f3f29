"""Matrix products with something done to the result, and grouped ones."""

from __future__ import annotations

from evaluator.ops.definition import Op

OPS: tuple[Op, ...] = ()

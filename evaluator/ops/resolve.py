"""One way from a slug to an op: the registry's, or one that came along as data."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping

from evaluator.ops import registry
from evaluator.ops.definition import Op
from evaluator.ops.recorded import DocumentError, from_document


def resolve(slug: str, definition: Mapping[str, object] | None = None) -> Op:
    """The op of a request: what `definition` describes (`evaluator/ops/recorded`) where one came along, else the registry's.

    Raises `UnknownOp`, and `DocumentError` (a `ValueError`) for a definition that is wrong or of another op.
    """
    if definition is None:
        return registry.get(slug)
    op = _read(json.dumps(definition, sort_keys=True))
    if op.slug != slug:
        raise DocumentError("slug", f"the definition is of {op.slug!r}, the request says {slug!r}")
    return op


@functools.lru_cache(maxsize=8)
def _read(text: str) -> Op:
    """A worker judges many submissions for one op."""
    return from_document(json.loads(text))

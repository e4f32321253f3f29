"""A file of ops given as data: one document, a list of them, `{"ops": […]}`, or what the site's API gives for an op."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from evaluator.ops.definition import Op
from evaluator.ops.recorded.errors import DocumentError
from evaluator.ops.recorded.reading import from_document

MOST_BYTES = 256 * 1024 * 1024


def load_file(path: Path) -> dict[str, Op]:
    """The ops of a file by slug. Raises `DocumentError`; its place begins with the file's name."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DocumentError(str(path), f"has more than {MOST_BYTES} bytes")
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DocumentError(str(path), f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise DocumentError(str(path), f"is not JSON: {error}") from None
    found: dict[str, Op] = {}
    for number, document in enumerate(_documents(content)):
        try:
            op = from_document(document)
        except DocumentError as error:
            raise DocumentError(f"{path}: op {_name(document, number)}: {error.where}", error.what) from None
        if op.slug in found:
            raise DocumentError(str(path), f"two ops have the slug {op.slug}")
        found[op.slug] = op
    return found


def _documents(content: object) -> list[object]:
    if isinstance(content, list):
        return content
    if isinstance(content, Mapping):
        if isinstance(content.get("ops"), list):
            return list(content["ops"])
        if isinstance(content.get("document"), Mapping):
            return [content["document"]]
    return [content]


def _name(document: object, number: int) -> str:
    slug = document.get("slug") if isinstance(document, Mapping) else None
    return slug[:200] if isinstance(slug, str) else str(number)

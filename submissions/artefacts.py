"""Files that profilers left of an evaluation: rows of packed bytes, within a room of each author's that others do not pay for."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from django.db.models import Sum

from evaluator.profiles import MAX_ARTEFACT_BYTES, MEDIA_TYPES
from evaluator.profiling import artefacts as evaluators
from submissions.limits import artefact_bytes_per_author
from submissions.models import Artefact, Evaluation

_MEDIA_TYPES = {kind.value: media for kind, media in MEDIA_TYPES.items()}


def keep_artefacts(evaluation: Evaluation, files: Sequence[evaluators.Artefact]) -> None:
    """Store the files, inside the caller's transaction. Of an author who has too many the oldest evaluations lose theirs."""
    if not files:
        return
    rows = [_row(evaluation, file) for file in files]
    _make_room(evaluation.author_id, artefact_bytes_per_author() - sum(row.packed_bytes for row in rows))
    Artefact.objects.bulk_create(rows)


def contents(artefact: Artefact) -> bytes:
    """The file's bytes. Raises `ValueError` for what `keep_artefacts` cannot have stored."""
    opened = zlib.decompressobj()
    data = opened.decompress(bytes(artefact.packed), MAX_ARTEFACT_BYTES)
    if opened.unconsumed_tail:
        raise ValueError(f"{artefact.name} has more than {MAX_ARTEFACT_BYTES} bytes")
    return data


def media_type(artefact: Artefact) -> str:
    """By the kind alone: nothing that a kernel wrote decides how a browser takes it."""
    return _MEDIA_TYPES.get(artefact.kind, "application/octet-stream")


def _row(evaluation: Evaluation, file: evaluators.Artefact) -> Artefact:
    packed = zlib.compress(file.data)
    return Artefact(
        evaluation=evaluation,
        name=file.note.name,
        kind=file.note.kind.value,
        size_bytes=len(file.data),
        sha256=file.note.sha256,
        packed_bytes=len(packed),
        packed=packed,
    )


def _make_room(author_id: int, allowed_bytes: int) -> None:
    own = Artefact.objects.filter(evaluation__author_id=author_id)
    taken = own.order_by("evaluation__queued_at").values_list("evaluation_id").annotate(bytes=Sum("packed_bytes"))
    sizes = list(taken)
    excess = sum(size for _, size in sizes) - allowed_bytes
    for evaluation_id, size in sizes:
        if excess <= 0:
            return
        own.filter(evaluation_id=evaluation_id).delete()
        excess -= size

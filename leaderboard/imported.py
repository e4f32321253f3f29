"""Ops that were imported into this site: rows of the catalogue with the document that the evaluator judges by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from evaluator.contract import JSON
from evaluator.ops import registry
from evaluator.ops.recorded import from_document
from leaderboard import catalogue
from leaderboard.models import Op, OpDocument
from submissions.known_ops import Offered

POSITION = 100_000
"""Where imported ops stand in lists: after the catalogue's own, by slug."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What an import changed, by slug. `refused`: names that the catalogue's own ops have."""

    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    refused: tuple[str, ...]


@transaction.atomic
def store(documents: Iterable[Mapping[str, JSON]], source: str) -> Stored:
    """Make rows of documents; an op that is there already gets the new document. Raises `DocumentError`.

    Ops of earlier imports that are not among these stay as they are.
    """
    ops = {op.slug: op for op in map(from_document, documents)}
    refused = sorted(set(ops) & set(registry.OPS))
    wanted = {slug: op for slug, op in ops.items() if slug not in registry.OPS}
    known = {row.pk: row for row in Op.objects.filter(pk__in=wanted).select_related("given")}
    before = {slug: row.given.document if row.active and hasattr(row, "given") else None for slug, row in known.items()}
    changed = {slug: op for slug, op in wanted.items() if before.get(slug) != op.document}
    catalogue.upsert_ops([catalogue.op_row(op, POSITION) for op in changed.values()])
    OpDocument.objects.bulk_create(
        [OpDocument(op_id=slug, source=source, document=op.document) for slug, op in sorted(changed.items())],
        update_conflicts=True,
        unique_fields=["op"],
        update_fields=["source", "document", "imported_at"],
    )
    return Stored(
        added=tuple(sorted(set(changed) - set(known))),
        updated=tuple(sorted(set(changed) & set(known))),
        unchanged=tuple(sorted(set(wanted) - set(changed))),
        refused=tuple(refused),
    )


def remove(suite: str) -> tuple[str, ...]:
    """Offer the imported ops of a suite no more. Their boards and results stay, and importing them again brings them back."""
    rows = Op.objects.active().filter(given__isnull=False, suites__contains=[suite])
    slugs = tuple(sorted(rows.values_list("pk", flat=True)))
    Op.objects.filter(pk__in=slugs).update(active=False)
    return slugs


class ImportedRows:
    """What `submissions.known_ops` asks for."""

    def document(self, slug: str, *, offered_only: bool) -> dict[str, JSON] | None:
        if "\0" in slug:
            return None
        found = OpDocument.objects.filter(op_id=slug, **({"op__active": True} if offered_only else {}))
        return found.values_list("document", flat=True).first()

    def offered(self) -> Sequence[Offered]:
        rows = OpDocument.objects.filter(op__active=True).order_by("op_id")
        return [Offered(*row) for row in rows.values_list("op_id", "op__title", "op__definition__entry_point")]

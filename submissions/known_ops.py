"""Ops by slug: the evaluator's registry, and the ops that were imported into this site.

Imported ops are data (`docs/recorded-ops.md`) that `leaderboard` keeps; it says so once, at start, by `provide`. Everything here may read
the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluator.close_names import alike
from evaluator.contract import JSON
from evaluator.ops import registry
from evaluator.ops.definition import Op
from evaluator.ops.registry import UnknownOp
from evaluator.ops.resolve import resolve


@dataclass(frozen=True, slots=True)
class Offered:
    """An op that something can be handed in for."""

    slug: str
    title: str
    entry_point: str


class ImportedOps(Protocol):
    """Who keeps the imported ops."""

    def document(self, slug: str, *, offered_only: bool) -> dict[str, JSON] | None: ...

    def offered(self) -> Sequence[Offered]: ...


class _NoneImported:
    def document(self, slug: str, *, offered_only: bool) -> dict[str, JSON] | None:
        return None

    def offered(self) -> Sequence[Offered]:
        return ()


_imported: ImportedOps = _NoneImported()


def provide(imported: ImportedOps) -> None:
    """From now on imported ops are asked of `imported`."""
    global _imported
    _imported = imported


def find(slug: str) -> Op:
    """The op that something can be handed in for. Raises `UnknownOp` with slugs that look like it."""
    if slug in registry.OPS:
        return registry.OPS[slug]
    document = _imported.document(slug, offered_only=True)
    if document is None:
        raise UnknownOp(slug, alike(slug, (offer.slug for offer in all_offered())))
    return resolve(slug, document)


def is_known(slug: str) -> bool:
    """Whether there is or was an op of this slug, whose boards can be looked at."""
    return slug in registry.OPS or definition_of(slug) is not None


def definition_of(slug: str) -> dict[str, JSON] | None:
    """What the evaluator must be told of an op that it does not have itself, offered or not."""
    return None if slug in registry.OPS else _imported.document(slug, offered_only=False)


def all_offered() -> list[Offered]:
    """By slug: the registry's first."""
    own = [Offered(op.slug, op.title, op.entry_point) for op in registry.all_ops()]
    return [*own, *_imported.offered()]

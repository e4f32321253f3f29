"""The entries of torch's op database, and how they are called here."""

from __future__ import annotations

import contextlib
import functools
import re
import typing
from collections.abc import Iterator, Sequence

from evaluator.close_names import close_to

if typing.TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

_UNFIT = re.compile(r"[^\w.-]+", re.ASCII)


class DatabaseError(RuntimeError):
    """torch's op database cannot be imported here."""


class UnknownEntry(LookupError):
    """No entry is called so."""


@functools.cache
def database() -> tuple[OpInfo, ...]:
    """All entries in the database's order. Importing them takes seconds. Raises `DatabaseError`."""
    try:
        with _flags_left_alone():
            from torch.testing._internal.common_methods_invocations import op_db
    except ImportError as error:
        message = f"torch's op database cannot be imported: {error}. It needs torch and the package expecttest: pip install expecttest"
        raise DatabaseError(message) from error
    return tuple(op_db)


@contextlib.contextmanager
def _flags_left_alone() -> Iterator[None]:
    """torch's test code forbids the whole process to set `torch.backends` flags, which the oracle does."""
    import torch

    forbid = torch.backends.disable_global_flags
    torch.backends.disable_global_flags = lambda: None
    try:
        yield
    finally:
        torch.backends.disable_global_flags = forbid


def select(names: Sequence[str] | None = None) -> tuple[OpInfo, ...]:
    """Entries by name (`softmax`: all its variants) or by name and variant (`softmax.with_dtype`); all when None.

    Raises `UnknownEntry` and `DatabaseError`.
    """
    if names is None:
        return database()
    found: dict[str, OpInfo] = {}
    for name in names:
        entries = [entry for entry in database() if name in (entry.name, label(entry))]
        if not entries:
            raise UnknownEntry(f"torch's op database has no entry {name!r}.{close_to(name, map(label, database()))}")
        found |= {label(entry): entry for entry in entries}
    return tuple(found.values())


def label(entry: OpInfo) -> str:
    """`<name>` or `<name>.<variant>`, of letters, digits, dots, dashes and underscores."""
    text = f"{entry.name}.{entry.variant_test_name}" if entry.variant_test_name else str(entry.name)
    return _UNFIT.sub("_", text)


def entry_point(entry: OpInfo) -> str:
    """Of `nn.functional.pad.reflect`, `nn__functional__pad__reflect_kernel_impl`: as for the ops of traces."""
    return f"{label(entry).replace('.', '__').replace('-', '_')}_kernel_impl"

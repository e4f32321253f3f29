"""A trace as a parquet table, as BackendBench publishes it: a row a call, with flags that say whether it is of use.

Columns: `op_name` and `args` (the text form's call); where present also `count`, `uuid`, `runnable`, `included_in_benchmark`,
`why_excluded`, `is_synthetic` and `is_overhead_dominated_op`. Reading needs pyarrow (the extra `import`).
"""

from __future__ import annotations

import itertools
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluator.ops.admission.report import Complaint
from evaluator.ops.traces.recipe import Recipe
from evaluator.ops.traces.text import recipe

NEEDED = ("op_name", "args")
FLAGS = ("count", "uuid", "runnable", "included_in_benchmark", "why_excluded", "is_synthetic", "is_overhead_dominated_op")
BATCH = 1024


class ParquetError(ValueError):
    """The file is no such table, or pyarrow is missing."""


def read_table(path: Path) -> Iterator[Recipe | Complaint]:
    """Raises `ParquetError`."""
    try:
        import pyarrow.parquet as pq
        from pyarrow import ArrowException
    except ImportError:
        raise ParquetError(f"{path.name} is a parquet file, and pyarrow is not installed: pip install pyarrow") from None
    try:
        table = pq.ParquetFile(path)
        columns = set(table.schema_arrow.names)
        if missing := [name for name in NEEDED if name not in columns]:
            raise ParquetError(f"{path.name} has no column {missing[0]}; it has {', '.join(sorted(columns))[:300]}")
        wanted = [name for name in (*NEEDED, *FLAGS) if name in columns]
        rows = itertools.chain.from_iterable(batch.to_pylist() for batch in table.iter_batches(BATCH, columns=wanted))
        for number, row in enumerate(rows, start=1):
            yield _recipe(row, f"{path.name}:{number}")
    except (ArrowException, OSError) as error:
        raise ParquetError(f"{path.name} cannot be read as parquet: {error}") from error


def _recipe(row: Mapping[str, object], where: str) -> Recipe | Complaint:
    target, text = row["op_name"], row["args"]
    if not isinstance(target, str) or not isinstance(text, str):
        return Complaint(where, "op_name and args must be texts")
    if row.get("runnable") is False or row.get("included_in_benchmark", True) is False:
        return Complaint(where, f"{target}: left out by the table: {_why(row.get('why_excluded'))}")
    count = row.get("count")
    times = count if isinstance(count, int) and count >= 0 else 1
    return recipe(target, text.strip().strip("'\""), times, where, timed=row.get("is_overhead_dominated_op") is not True)


def _why(reasons: object) -> str:
    if isinstance(reasons, list) and reasons:
        return "; ".join(map(str, typing.cast("list[object]", reasons)))[:200]
    return "no reason given"

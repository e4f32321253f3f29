"""What the sandbox's probe found, as a worker's row keeps it: one line a layer, and every attempt that was not refused."""

from __future__ import annotations

from datetime import datetime

from evaluator.contract import JSON
from evaluator.sandbox import ProbeRow, ProbeTable
from evaluator.sandbox.layers import Layer

PROBE = "probe"
"""The key of the proof among the layers in `Worker.sandbox`."""
_LAYER = "layer:"
_LONGEST = 500


def proof(table: ProbeTable, at: datetime) -> dict[str, JSON]:
    """{overall, mode, at, seconds, error, failures: […], table: [{layer, wanted, proven, detail, consequence}]}.

    `proven` is true only where an attempt from inside was refused; a layer that nothing tried is null, whatever it says of itself.
    """
    names = [*(layer.value for layer in Layer), *sorted({row.layer for row in table.rows} - set(Layer))]
    return {
        "overall": table.overall,
        "mode": table.mode,
        "at": at.isoformat(timespec="seconds"),
        "seconds": round(table.seconds, 3),
        "error": table.error[:_LONGEST],
        "failures": [_failure(row) for row in table.failures],
        "table": [_line(name, [row for row in table.rows if row.layer == name]) for name in names] if table.rows else [],
    }


def in_words(table: ProbeTable) -> str:
    """Why the sandbox does not enforce everything, for a person; "" when it does."""
    if table.overall == "enforcing":
        return ""
    if table.error:
        return table.error[:_LONGEST]
    return "; ".join(f"{row.layer} is not so: {row.wanted} ({row.detail})" for row in table.failures)[: 4 * _LONGEST] or table.overall


def apart(sandbox: dict[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """What `Worker.sandbox` holds: the layers of the judge's candidates by name, and the proof ({} before the first)."""
    found = sandbox.get(PROBE)
    return {name: status for name, status in sandbox.items() if name != PROBE}, found if isinstance(found, dict) else {}


def _failure(row: ProbeRow) -> dict[str, JSON]:
    return {"layer": row.layer, "wanted": row.wanted, "detail": row.detail[:_LONGEST], "consequence": row.consequence}


def _line(name: str, rows: list[ProbeRow]) -> dict[str, JSON]:
    attempts = [row for row in rows if not row.name.startswith(_LAYER)]
    told = [row for row in rows if row.name.startswith(_LAYER)]
    failed = [row for row in rows if row.proven is False]
    tried = [row for row in attempts if row.proven]
    proven = False if failed else True if tried else None
    shown = failed or attempts or told
    return {
        "layer": name,
        "wanted": "; ".join(row.wanted for row in attempts or told),
        "proven": proven,
        "detail": "" if proven else "; ".join(row.detail for row in shown if row.detail)[:_LONGEST],
        "consequence": "; ".join(dict.fromkeys(row.consequence for row in failed or told)) if _lost(proven, told) else "",
    }


def _lost(proven: bool | None, told: list[ProbeRow]) -> bool:
    """Whether the layer is missing: disproven, or optional and not there."""
    return proven is False or (proven is None and any(row.proven is None for row in told))

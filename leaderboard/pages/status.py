"""`/status/`: workers, queues, the sandbox as proven, versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.device_states import device_states
from leaderboard.site_status import WorkerState, site_status
from submissions.pages.sheet import Layer, layers


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def status(request: HttpRequest) -> HttpResponse:
    now = site_status()
    alive = [worker for worker in now.workers if worker.alive]
    tables = [table for worker in alive if (table := (worker, sandbox(worker), proof(worker)))[1:] != ([], None)]
    context = {
        "section": "status",
        "status": now,
        "devices": device_states(now),
        "alive": alive,
        "gone": len(now.workers) - len(alive),
        "sandboxes": tables,
    }
    return render(request, "leaderboard/_status.html" if request.headers.get("HX-Request") else "leaderboard/status.html", context)


@dataclass(frozen=True, slots=True)
class Proof:
    """What the probe of a worker's sandbox found. `rows`: one a layer, with `name, wanted, proven, detail, consequence`."""

    overall: str
    mode: str
    at: datetime
    error: str
    tone: str
    rows: tuple[dict[str, object], ...]


def proof(worker: WorkerState) -> Proof | None:
    """None before the first probe, or when a newer worker wrote one that this site cannot read."""
    found = worker.probe
    try:
        at, rows = datetime.fromisoformat(str(found["at"])), found["table"]
    except (KeyError, ValueError):
        return None
    overall = str(found.get("overall"))
    lines = (
        tuple({**row, "name": str(row.get("layer")).replace("_", " ")} for row in rows if isinstance(row, dict))
        if isinstance(rows, list)
        else ()
    )
    tone = {"enforcing": "good", "off": "bad"}.get(overall, "warn")
    return Proof(overall, str(found.get("mode")), at, str(found.get("error") or ""), tone, lines)


def sandbox(worker: WorkerState) -> list[Layer]:
    return list(layers(worker.sandbox))  # type: ignore[arg-type]  # it came out of a JSON column

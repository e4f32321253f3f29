"""`/status/`: workers, queues, the sandbox as proven, versions."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.site_status import WorkerState, site_status
from submissions.pages.sheet import Layer, layers


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def status(request: HttpRequest) -> HttpResponse:
    now = site_status()
    alive = [worker for worker in now.workers if worker.alive]
    tables = [(worker, found) for worker in alive if (found := sandbox(worker))]
    context = {"section": "status", "status": now, "alive": alive, "gone": len(now.workers) - len(alive), "sandboxes": tables}
    return render(request, "leaderboard/_status.html" if request.headers.get("HX-Request") else "leaderboard/status.html", context)


def sandbox(worker: WorkerState) -> list[Layer]:
    return list(layers(worker.sandbox))  # type: ignore[arg-type]  # it came out of a JSON column

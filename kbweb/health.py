"""Is it alive, and can it judge: `/healthz` for the process that restarts it, `/readyz` for whoever sends it work."""

from __future__ import annotations

import structlog
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from submissions.models import Worker
from submissions.proof import apart

log = structlog.get_logger(__name__)


@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 as long as the web process answers at all."""
    return JsonResponse({"status": "ok"})


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 once web, database and at least one device worker are up; else 503. The body names each part and its state."""
    database: dict[str, object] = {"ok": True}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        workers = [_worker(worker) for worker in Worker.objects.alive().order_by("name")]
    except Error as error:
        log.warning("database_away", error=str(error).strip())  # it names host, port and role
        workers, database = [], {"ok": False, "error": "It does not answer. The log of the site has more."}
    at_work = [worker for worker in workers if worker["device"] and worker["in_service"]]
    ready = bool(database["ok"] and at_work)
    parts = {"web": {"ok": True}, "database": database, "device_workers": {"ok": bool(at_work), "count": len(at_work)}}
    return JsonResponse({"ready": ready, "parts": parts, "workers": workers}, status=200 if ready else 503)


def _worker(worker: Worker) -> dict[str, object]:
    layers, proof = apart(worker.sandbox)
    return {
        "name": worker.name,
        "queue": worker.queue,
        "device": worker.device,
        "device_name": worker.device_name,
        "in_service": worker.in_service,
        "note": worker.note,
        "sandbox": layers,
        "probe": proof,
        "seen_at": worker.seen_at.isoformat(),
    }

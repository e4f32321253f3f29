"""`/metrics` for Prometheus. The numbers are read from the database when asked for, so every web process tells the same."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from evaluator.contract import State
from submissions.models import Evaluation, Worker


class DatabaseCollector(Collector):
    """Queue depth, evaluations by verdict, age of the oldest waiting one, workers."""

    def collect(self) -> Iterable[Metric]:
        open_ones = Evaluation.objects.exclude(state=State.DONE).values_list("device", "state").annotate(n=Count("pk")).order_by()
        depth = GaugeMetricFamily("kb_queue_depth", "Evaluations that wait for a worker, by queue.", labels=["queue"])
        states = GaugeMetricFamily("kb_evaluations_open", "Evaluations that are not done, by device and state.", labels=["device", "state"])
        waiting: dict[str, int] = {}
        for device, state, n in open_ones:
            states.add_metric([device, state], n)
            if state in (State.QUEUED, State.WAITING):
                queue = "build" if state == State.QUEUED else f"device.{device}"
                waiting[queue] = waiting.get(queue, 0) + n
        for queue, n in sorted(waiting.items()):
            depth.add_metric([queue], n)
        yield depth
        yield states

        done = GaugeMetricFamily("kb_evaluations_done", "Evaluations that are done, by device and verdict.", labels=["device", "verdict"])
        for device, verdict, n in (
            Evaluation.objects.filter(state=State.DONE)
            .values_list("device", "verdict")
            .annotate(n=Count("pk"))
            .order_by("device", "verdict")
        ):
            done.add_metric([device, verdict], n)
        yield done

        workers = GaugeMetricFamily("kb_workers", "Workers seen lately, by queue and whether in service.", labels=["queue", "in_service"])
        for queue, in_service, n in (
            Worker.objects.alive().values_list("queue", "in_service").annotate(n=Count("pk")).order_by("queue", "in_service")
        ):
            workers.add_metric([queue, str(in_service).lower()], n)
        yield workers


REGISTRY = CollectorRegistry(auto_describe=False)
REGISTRY.register(DatabaseCollector())


def metrics(request: HttpRequest) -> HttpResponse:
    """All families in the text format."""
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)

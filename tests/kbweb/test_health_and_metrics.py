"""`/healthz`, `/readyz` and `/metrics` tell the truth about the database's rows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from submissions.models import Evaluation, Submission, Worker

pytestmark = pytest.mark.django_db


def worker(**fields: object) -> Worker:
    return Worker.objects.create(**{"name": "w1", "queue": "device.cpu", "device": "cpu", "device_name": "a CPU", **fields})


def test_alive_without_a_worker_but_not_ready(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}

    ready = client.get("/readyz")

    assert ready.status_code == 503
    assert ready.json()["parts"] == {"web": {"ok": True}, "database": {"ok": True}, "device_workers": {"ok": False, "count": 0}}


def test_ready_with_a_device_worker(client: Client) -> None:
    worker()

    ready = client.get("/readyz")

    assert ready.status_code == 200
    assert ready.json()["workers"][0]["device_name"] == "a CPU"


@pytest.mark.parametrize(
    "fields",
    [{"in_service": False}, {"queue": "build", "device": ""}, {"seen_at": timezone.now() - timedelta(minutes=5)}],
    ids=["out of service", "a builder", "long gone"],
)
def test_not_ready_with_a_worker_that_cannot_judge(client: Client, fields: dict[str, object]) -> None:
    worker(**fields)

    assert client.get("/readyz").status_code == 503


def test_where_the_database_is_stays_in_the_log(client: Client) -> None:
    def away(*given: object) -> None:
        raise OperationalError('connection to server at "10.0.0.7", port 5432 failed: FATAL: role "kb_owner" does not exist')

    with connection.execute_wrapper(away):
        ready = client.get("/readyz")

    assert ready.status_code == 503
    assert ready.json()["parts"]["database"]["ok"] is False
    assert not any(told in ready.content.decode() for told in ("10.0.0.7", "5432", "kb_owner"))


def test_metrics_count_rows(client: Client) -> None:
    worker()
    author = User.objects.create_user("alice")
    submission = Submission.objects.create(
        author=author, op="softmax", kernel_type="torch", source="x", source_sha256="", normalised_sha256=""
    )
    common = {"submission": submission, "author": author, "op": "softmax", "device": "cpu"}
    Evaluation.objects.create(**common)
    Evaluation.objects.create(**common, state="waiting")
    Evaluation.objects.create(**common, state="done", verdict="accepted")

    text = client.get("/metrics").content.decode()

    assert 'kb_queue_depth{queue="build"} 1.0' in text
    assert 'kb_queue_depth{queue="device.cpu"} 1.0' in text
    assert 'kb_evaluations_done{device="cpu",verdict="accepted"} 1.0' in text
    assert 'kb_workers{in_service="true",queue="device.cpu"} 1.0' in text

"""`/status/`: each device, judging, ready, paused and why, or without a worker."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from evaluator.contract import State
from leaderboard.device_states import device_states
from leaderboard.site_status import site_status
from submissions.models import Worker
from tests.pages.cast import at_stage, builder, evaluation_of, finish, hand_in, worker
from tests.pages.markup import faults
from tests.pages.outcomes import accepted


def standing() -> dict[str, tuple[str, str]]:
    return {device.slug: (device.standing, device.why) for device in device_states(site_status())}


def test_a_device_is_ready_judging_or_without_a_worker(alice: User) -> None:
    found = worker()
    assert standing() == {"cpu": ("ready", "")}

    at_stage(evaluation_of(hand_in(alice)), State.TIMING)
    assert standing() == {"cpu": ("judging", "")}

    Worker.objects.filter(pk=found.pk).update(seen_at=timezone.now() - timedelta(hours=1))
    assert standing() == {"cpu": ("no worker", "")}


def test_the_site_says_whether_it_builds_and_judges(client: Client, alice: User) -> None:
    def said() -> str:
        page = client.get("/status/").content.decode()
        return page[page.index('role="status"><p>') + len('role="status"><p>') :].partition("</p>")[0]

    worker()
    assert "no build worker" in said() and "no build worker" in client.get("/").content.decode()
    assert client.get("/api/v1/status").json()["building"] is False
    builder()
    assert said() == "Ready." and "no build worker" not in client.get("/").content.decode()
    at_stage(evaluation_of(hand_in(alice)), State.TIMING)
    assert said() == "Judging 1 evaluation."


def test_a_paused_device_says_why(client: Client) -> None:
    Worker.objects.filter(pk=worker("h100").pk).update(
        in_service=False, note="uncorrected memory errors", environment={"torch": "2.13.0", "driver": "580.1"}
    )

    page = client.get("/status/").content.decode()
    (device,) = client.get("/api/v1/status").json()["devices"]

    assert standing() == {"h100": ("paused", "uncorrected memory errors")}
    assert "uncorrected memory errors" in page[page.index('id="device-h100"') : page.index('id="queues-head"')]
    assert 'driver <span class="mono">580.1</span>' in page
    assert (device["standing"], device["in_service"], device["workers"]) == ("paused", 0, 1)
    assert not faults(page)


def test_what_ended_lately_is_counted(alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted())

    (device,) = device_states(site_status())

    assert (device.slug, device.done, device.standing) == ("cpu", 1, "no worker")

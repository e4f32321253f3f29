"""From an event to a signed message that arrives once, or is given up and says so."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import time
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import transaction
from django.utils import timezone

from evaluator.contract import Outcome, Verdict
from submissions.cancel import cancel
from submissions.claim import claim as claim_evaluation
from submissions.finish import conclude
from submissions.jobs import WEBHOOKS, actor_of
from submissions.models import Evaluation, Purpose
from submissions.rerun import again
from submissions.sweeper import queues_to_ring
from submissions.webhooks import delivering, owning
from submissions.webhooks.delivering import PAUSES_S, claim, deliver_next, due, forget_old, settle
from submissions.webhooks.models import Delivery, Standing, Topic, Webhook
from submissions.webhooks.outbox import tell
from submissions.webhooks.sender import Answer
from tests.live_site import ROOT
from tests.submissions.conftest import HandIn
from tests.submissions.test_queue import worker
from tests.submissions.webhooks.receiver import Receiver


@pytest.fixture
def hook(alice: User, receiver: Receiver) -> Webhook:
    return owning.make_webhook(alice, receiver.url, Topic.values)


def end(run: Evaluation, outcome: Outcome) -> None:
    Evaluation.objects.filter(pk=run.pk).update(state="timing")
    with transaction.atomic():
        conclude(Evaluation.objects.select_related("submission", "author").get(pk=run.pk), outcome)


def deliver_all() -> None:
    while due().exists():
        deliver_next()


def test_the_end_of_an_evaluation_arrives_signed(
    alice: User, hook: Webhook, receiver: Receiver, hand_in: HandIn, accepted: Outcome
) -> None:
    run = hand_in(alice)
    end(run, accepted)

    deliver_next()

    ((headers, body),) = receiver.got
    message = json.loads(body)
    assert message["type"] == "done"
    assert (message["data"]["evaluation"], message["data"]["verdict"], message["data"]["speedup"]) == (run.pk, "accepted", 1.25)
    assert message["data"]["url"].endswith(f"/s/{run.submission_id}/?evaluation={run.pk}")
    assert is_genuine(headers, body, hook.secret)
    assert not is_genuine(headers, body + b" ", hook.secret)
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    delivery = Delivery.objects.get()
    assert (delivery.standing, delivery.status, delivery.attempts, headers["webhook-id"]) == (Standing.DELIVERED, 204, 1, delivery.pk)


def is_genuine(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """Whatever docs/webhooks.md tells receivers to do."""
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "webhooks.md").read_text(), re.DOTALL)
    shown = html.unescape((ROOT / "templates" / "submissions" / "_webhook_how.html").read_text())
    assert example.strip() in shown, "the page and the document show the same"
    names: dict[str, Any] = {}
    exec(example, names)
    return bool(names["is_genuine"](headers, body, secret))


def test_nothing_of_source_or_log_is_sent(alice: User, hook: Webhook, hand_in: HandIn, wrong: Outcome) -> None:
    end(hand_in(alice), wrong)

    body = Delivery.objects.get().body
    assert "3 elements differ" in body
    assert "secret line of source" not in body
    assert "torch.softmax" not in body


def test_each_hears_of_what_he_asked_for(alice: User, bob: User, receiver: Receiver, hand_in: HandIn, accepted: Outcome) -> None:
    owning.make_webhook(alice, receiver.url, ["suspect"])
    owning.make_webhook(bob, receiver.url, ["done"])
    off = owning.make_webhook(alice, receiver.url, ["done"])
    Webhook.objects.filter(pk=off.pk).update(active=False)

    end(hand_in(alice), accepted)

    assert not Delivery.objects.exists()


def test_a_suspect_is_told_even_of_the_sites_own_runs_and_other_ends_of_those_are_not(
    alice: User, hook: Webhook, hand_in: HandIn, accepted: Outcome
) -> None:
    run = hand_in(alice)
    end(run, accepted)
    with transaction.atomic():
        first, second = again(run, Purpose.CONFIRMING), again(run, Purpose.CONFIRMING)
    end(first, accepted)
    end(second, dataclasses.replace(accepted, verdict=Verdict.SUSPECT))

    told = set(Delivery.objects.values_list("topic", "key"))
    assert told == {("done", f"done:{run.pk}"), ("suspect", f"suspect:{second.pk}")}


def test_it_is_part_of_the_transaction_and_told_once(alice: User, hook: Webhook) -> None:
    with transaction.atomic():
        tell(alice.pk, Topic.DONE, "done:x", {"n": 1})
        tell(alice.pk, Topic.DONE, "done:x", {"n": 2})
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()

    tell(alice.pk, Topic.DONE, "done:x", {"n": float("nan")})
    tell(alice.pk, Topic.DONE, "done:x", {"n": 2})
    assert json.loads(Delivery.objects.get().body)["data"] == {"n": None}


def test_a_failure_is_tried_again_later_and_given_up_in_the_end(alice: User, hook: Webhook, receiver: Receiver) -> None:
    receiver.status = 503
    tell(alice.pk, Topic.DONE, "done:x", {})

    for pause_s in PAUSES_S:
        deliver_next()
        delivery = Delivery.objects.get()
        assert (delivery.standing, delivery.status) == (Standing.WAITING, 503)
        assert abs((delivery.due_at - timezone.now()).total_seconds() - pause_s) < 5
        assert claim() is None, "not before its time"
        Delivery.objects.update(due_at=timezone.now())
    deliver_next()

    assert Delivery.objects.get().standing == Standing.GIVEN_UP
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1
    assert len({body for _, body in receiver.got}) == 1
    assert Webhook.objects.get().failed_in_a_row == len(PAUSES_S) + 1


def test_one_at_a_time_of_each_user(alice: User, bob: User, hook: Webhook, receiver: Receiver) -> None:
    owning.make_webhook(alice, receiver.url, ["done"])
    owning.make_webhook(bob, receiver.url, ["done"])
    for number in range(2):
        tell(alice.pk, Topic.DONE, f"done:{number}", {})
    tell(bob.pk, Topic.DONE, "done:b", {})

    taken = [claim(), claim(), claim()]

    assert [found.webhook.user_id if found else None for found in taken] == [alice.pk, bob.pk, None]


def test_a_worker_that_died_loses_nothing_and_writes_nothing_late(alice: User, hook: Webhook, receiver: Receiver) -> None:
    tell(alice.pk, Topic.DONE, "done:x", {})
    dead = claim()
    assert dead is not None
    assert not due().exists()
    Delivery.objects.update(leased_until=timezone.now() - timedelta(seconds=1))

    deliver_next()
    settle(dead, Answer(None, "too late", 1))

    delivery = Delivery.objects.get()
    assert (delivery.standing, delivery.error, delivery.attempts) == (Standing.DELIVERED, "", 2)


def test_running_twice_is_harmless(alice: User, hook: Webhook, receiver: Receiver) -> None:
    tell(alice.pk, Topic.DONE, "done:x", {})

    deliver_next()
    deliver_next()

    assert len(receiver.got) == 1


def test_after_a_day_of_failures_it_is_switched_off_and_the_owner_told(alice: User, hook: Webhook, receiver: Receiver) -> None:
    alice.emailaddress_set.create(email="alice@example.org", verified=True, primary=True)
    receiver.status = 500
    Webhook.objects.update(failed_in_a_row=delivering.OFF_ATTEMPTS - 1, failing_since=timezone.now() - timedelta(hours=23))
    tell(alice.pk, Topic.DONE, "done:1", {})
    tell(alice.pk, Topic.DONE, "done:2", {})

    deliver_next()
    assert Webhook.objects.get().active
    Webhook.objects.update(failing_since=timezone.now() - timedelta(hours=25))
    deliver_next()

    off = Webhook.objects.get()
    assert (off.active, "It answered 500." in off.off_because) == (False, True)
    assert set(Delivery.objects.values_list("standing", flat=True)) == {Standing.GIVEN_UP}
    tell(alice.pk, Topic.DONE, "done:3", {})
    assert Delivery.objects.count() == 2


def test_the_mail_names_the_address_and_the_reason(
    alice: User, hook: Webhook, receiver: Receiver, django_capture_on_commit_callbacks: object
) -> None:
    alice.emailaddress_set.create(email="alice@example.org", verified=True, primary=True)
    receiver.status = 410
    tell(alice.pk, Topic.DONE, "done:1", {})

    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        deliver_next()

    assert not Webhook.objects.get().active
    (sent,) = mail.outbox
    assert sent.to == ["alice@example.org"]
    assert receiver.url in sent.body and "410 Gone" in sent.body


def test_what_arrives_ends_a_row_of_failures(alice: User, hook: Webhook, receiver: Receiver) -> None:
    Webhook.objects.update(failed_in_a_row=9, failing_since=timezone.now() - timedelta(hours=30))
    tell(alice.pk, Topic.DONE, "done:1", {})

    deliver_next()

    found = Webhook.objects.get()
    assert (found.failed_in_a_row, found.failing_since, found.active) == (0, None, True)


def test_a_test_can_be_sent_and_everything_sent_again(alice: User, hook: Webhook, receiver: Receiver) -> None:
    made = owning.send_test(hook)
    deliver_all()
    owning.send_again(hook, made.pk)
    deliver_all()

    assert [headers["webhook-id"] for headers, _ in receiver.got] == [made.pk, made.pk]
    assert json.loads(receiver.got[0][1])["type"] == "test"


def test_only_a_few_tests_wait_at_once(hook: Webhook) -> None:
    for _ in range(owning.TESTS_WAITING):
        owning.send_test(hook)

    with pytest.raises(owning.WebhookError, match="wait already"):
        owning.send_test(hook)


def test_an_address_that_is_forbidden_by_now_is_not_connected_to(alice: User, hook: Webhook, receiver: Receiver, settings: object) -> None:
    settings.WEBHOOKS_PRIVATE = False  # type: ignore[attr-defined]
    tell(alice.pk, Topic.DONE, "done:1", {})

    deliver_next()

    assert receiver.got == []
    assert "public internet" in Delivery.objects.get().error


def test_the_sweeper_rings_for_what_is_due(alice: User, hook: Webhook) -> None:
    worker(WEBHOOKS)
    assert queues_to_ring() == []

    tell(alice.pk, Topic.DONE, "done:1", {})
    assert queues_to_ring() == [WEBHOOKS]

    Delivery.objects.update(due_at=timezone.now() + timedelta(minutes=1))
    assert queues_to_ring() == []
    assert actor_of(WEBHOOKS).options["max_retries"] == 0


def test_old_deliveries_are_forgotten_but_not_those_that_wait(alice: User, hook: Webhook) -> None:
    for number, standing in enumerate((Standing.DELIVERED, Standing.GIVEN_UP, Standing.WAITING)):
        tell(alice.pk, Topic.DONE, f"done:{number}", {})
        Delivery.objects.filter(key=f"done:{number}").update(standing=standing, created_at=timezone.now() - timedelta(days=15))

    forget_old(None)

    assert [delivery.standing for delivery in Delivery.objects.all()] == [Standing.WAITING]


def test_a_cancelled_one_is_told_as_well(alice: User, hook: Webhook, hand_in: HandIn) -> None:
    run = hand_in(alice)
    assert claim_evaluation("build", "b1") is not None

    cancel(alice, run.pk)

    assert json.loads(Delivery.objects.get().body)["data"]["verdict"] == "cancelled"

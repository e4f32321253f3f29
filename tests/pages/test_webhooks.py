"""My webhooks: made, tried, changed, switched, deleted, and the log of what was sent."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from submissions.models import Worker
from submissions.webhooks.delivering import deliver_next, settle
from submissions.webhooks.models import Delivery, Standing, Webhook
from submissions.webhooks.sender import Answer
from tests.pages.conftest import signed_in
from tests.pages.markup import faults
from tests.submissions.webhooks.conftest import receiver as receiver  # a fixture
from tests.submissions.webhooks.receiver import Receiver

PAGE = "/me/webhooks/"
NEW = {"url": "https://hooks.example.org/here?k=v", "topics": ["done", "record_lost"]}


@pytest.fixture
def hook(as_alice: Client) -> Webhook:
    as_alice.post(PAGE, NEW)
    return Webhook.objects.get()


def test_a_webhook_is_made_and_its_secret_shown_once(as_alice: Client) -> None:
    answer = as_alice.post(PAGE, NEW).content.decode()

    hook = Webhook.objects.get()
    shown = re.search(r'id="webhook-secret">(whsec_[^<]+)<', answer)
    assert shown and shown[1] == hook.secret
    assert hook.topics == ["done", "record_lost"]
    for path in (PAGE, f"{PAGE}{hook.pk}/"):
        page = as_alice.get(path).content.decode()
        assert not faults(page)
        assert hook.secret not in page
        assert "hooks.example.org" in page


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"url": ""}, "id_url_error"),
        ({"url": "http://127.0.0.1/"}, "id_url_error"),
        ({"topics": []}, "topics"),
        ({"topics": ["all"]}, "topics"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(as_alice: Client, wrong: dict[str, object], field: str) -> None:
    answer = as_alice.post(PAGE, NEW | wrong)

    assert answer.status_code == 422
    assert not faults(answer.content.decode())
    assert re.search(f'class="error" id="[^"]*{field.removesuffix("_error").removeprefix("id_")}_error"', answer.content.decode())
    assert not Webhook.objects.exists()


def test_there_is_an_end_to_them(as_alice: Client) -> None:
    statuses = [as_alice.post(PAGE, NEW).status_code for _ in range(6)]

    assert statuses == [200] * 5 + [422]


def test_the_log_shows_status_time_and_error_and_sends_again(as_alice: Client, receiver: Receiver) -> None:
    as_alice.post(PAGE, NEW | {"url": receiver.url})
    hook = Webhook.objects.get()
    receiver.status = 500
    as_alice.post(f"{PAGE}{hook.pk}/test/")
    deliver_next()
    page = as_alice.get(f"{PAGE}{hook.pk}/").content.decode()
    assert not faults(page)
    assert "It answered 500." in page and "again at" in page and " ms</td>" in page
    assert "failing" in as_alice.get(PAGE).content.decode()

    receiver.status = 200
    Delivery.objects.update(standing=Standing.GIVEN_UP)
    assert "Send again" in as_alice.get(f"{PAGE}{hook.pk}/").content.decode()
    as_alice.post(f"{PAGE}{hook.pk}/deliveries/{Delivery.objects.get().pk}/again/")
    deliver_next()

    assert Delivery.objects.get().standing == Standing.DELIVERED
    assert len(receiver.got) == 2


def test_one_that_the_site_switched_off_is_told_on_both_pages(as_alice: Client, hook: Webhook) -> None:
    as_alice.post(f"{PAGE}{hook.pk}/test/")
    Webhook.objects.update(failed_in_a_row=99, failing_since=timezone.now() - timedelta(days=2))
    delivery = Delivery.objects.get()
    settle(delivery, Answer(None, "The connection was refused: nothing listens there.", 3))

    for path in ("/me/", f"{PAGE}{hook.pk}/"):
        page = as_alice.get(path).content.decode()
        assert not faults(page)
        assert "was switched off" in page and "nothing listens there" in page
    as_alice.post(f"{PAGE}{hook.pk}/switch/")
    assert "was switched off" not in as_alice.get("/me/").content.decode()


def test_it_is_changed_switched_and_deleted(as_alice: Client, hook: Webhook) -> None:
    path = f"{PAGE}{hook.pk}/"
    as_alice.post(path, {"url": "https://other.example.org/", "topics": ["suspect"]})
    assert (Webhook.objects.get().url, Webhook.objects.get().topics) == ("https://other.example.org/", ["suspect"])
    assert as_alice.post(path, {"url": "nonsense", "topics": ["suspect"]}).status_code == 422
    assert Webhook.objects.get().url == "https://other.example.org/"

    before = Webhook.objects.get().secret
    renewed = as_alice.post(f"{path}secret/").content.decode()
    assert Webhook.objects.get().secret != before and Webhook.objects.get().secret in renewed

    as_alice.post(f"{path}switch/")
    assert not Webhook.objects.get().active
    refused = as_alice.post(f"{path}test/", follow=True).content.decode()
    assert "Switch it on first" in refused
    as_alice.post(f"{path}delete/")
    assert not Webhook.objects.exists()


def test_without_a_worker_that_sends_the_page_says_that_messages_wait(as_alice: Client, hook: Webhook) -> None:
    paths = (PAGE, f"{PAGE}{hook.pk}/")
    assert all("No webhook worker is in service" in as_alice.get(path).content.decode() for path in paths)

    Worker.objects.create(name="w", queue="webhooks")

    assert not any("No webhook worker" in as_alice.get(path).content.decode() for path in paths)


def test_others_webhooks_do_not_exist(bob: User, hook: Webhook) -> None:
    client = signed_in(bob)
    path = f"{PAGE}{hook.pk}/"

    assert client.get(path).status_code == 404
    for action in ("", "test/", "switch/", "secret/", "delete/", "deliveries/abc/again/"):
        assert client.post(path + action, NEW).status_code == 404
    assert Webhook.objects.get().secret == hook.secret

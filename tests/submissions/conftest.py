"""Alice, Bob and Charlie, and a short way to hand something in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import dramatiq
import pytest
from django.apps import apps
from django.contrib.auth.models import User
from knox.models import get_token_model
from rest_framework.test import APIClient

from evaluator.contract import KernelType, Mode, Outcome, Reason, State, TimingSummary, Verdict
from kbweb.models import every_scope
from submissions.claim import claim
from submissions.finish import finish
from submissions.intake import submit
from submissions.live import listener
from submissions.models import Evaluation

HandIn = Callable[..., Evaluation]
committed = pytest.mark.django_db(transaction=True, available_apps=[app.name for app in apps.get_app_configs()])
"""For tests in which several connections must see each other's rows. (With `available_apps` the flush cascades to knox's unused table.)"""
SOURCE = b"import torch\n\n\ndef softmax_kernel_impl(x, dim=-1):\n    return torch.softmax(x, dim)\n"
SUBMISSION: dict[str, object] = {"op": "softmax", "source": SOURCE.decode(), "device": "cpu"}
"""A body that is accepted at `SUBMISSIONS`."""
SUBMISSIONS = "/api/v1/submissions"


@pytest.fixture(scope="session", autouse=True)
def _broker_and_listener_let_the_database_go(django_db_setup: None) -> Iterator[None]:
    yield
    dramatiq.get_broker().close()
    listener.end_shared()


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def charlie(db: None) -> User:
    return User.objects.create_user("charlie", is_staff=True)


@pytest.fixture
def hand_in() -> HandIn:
    """Hand in a new source and return its first evaluation, moved to `state` without a worker."""
    number = count()

    def do(author: User, *, state: State = State.QUEUED, **fields: object) -> Evaluation:
        given = {"op": "softmax", "source": SOURCE + f"NUMBER = {next(number)}\n".encode(), "device": "cpu", **fields}
        evaluation = submit(author, **given).evaluations.order_by("pk")[0]
        if state is not State.QUEUED:
            Evaluation.objects.filter(pk=evaluation.pk).update(state=state)
            evaluation.refresh_from_db()
        return evaluation

    return do


@pytest.fixture
def accepted() -> Outcome:
    return Outcome(
        verdict=Verdict.ACCEPTED,
        stage=State.TIMING,
        op="softmax",
        device="cpu",
        kernel_type=KernelType.TORCH,
        mode=Mode.RANKED,
        correctness_score=1.0,
        performance_score=1.25,
        timing=TimingSummary(speedup=1.25, low=1.2, high=1.3, candidate_us=80.0, baseline_us=100.0, cases=3),
        log="hello\x00 world",
    )


@pytest.fixture
def wrong() -> Outcome:
    return Outcome(
        verdict=Verdict.WRONG_RESULT,
        stage=State.CHECKING,
        op="softmax",
        device="cpu",
        kernel_type=KernelType.TORCH,
        mode=Mode.RANKED,
        reasons=(Reason("wrong_result", "3 elements differ", detail="secret line of source"),),
        correctness_score=0.5,
    )


def client_of(user: User, *scopes: str) -> APIClient:
    _, secret = get_token_model().objects.create(user=user, name="test", scopes=list(scopes) or every_scope())
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


@pytest.fixture
def bot(alice: User) -> APIClient:
    return client_of(alice)


def finished(run: Evaluation, outcome: Outcome) -> Evaluation:
    """What a worker does: take it, and store what the judge said."""
    Evaluation.objects.filter(pk=run.pk).update(state=State.WAITING)
    taken = claim("device.cpu", "w1")
    assert taken is not None
    return finish(taken.pk, outcome, attempt=taken.attempt, worker="w1", worker_s=1.0)

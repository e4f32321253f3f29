"""The catalogue loaded, and Alice, Bob and Charlie, in a database of the test."""

from __future__ import annotations

import dataclasses

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.baselines.figures import Clock, unavailable
from evaluator.contract import KernelType, State
from leaderboard.baselines import store
from submissions.competitions.groups import make_group
from submissions.competitions.invitations import invite
from submissions.webhooks.owning import make_webhook, send_test
from tests.competitions.conftest import competition
from tests.leaderboard.test_baselines import measured
from tests.leaderboard.test_suite_runs import run
from tests.pages.cast import SOURCE, at_stage, builder, evaluation_of, finish, hand_in, person, worker
from tests.pages.outcomes import accepted, broken, suspect, wrong_result
from tests.site_pages import Samples

EDITED = SOURCE.replace("torch.softmax(x, dim)", "x.softmax(dim)").encode()
SIMILAR = (SOURCE + "\n\nCACHE = {}\n").encode()


@pytest.fixture(autouse=True)
def _catalogue(smoke_ops: None) -> None:
    pass


@pytest.fixture
def alice() -> User:
    return person("alice")


@pytest.fixture
def bob() -> User:
    return person("bob")


@pytest.fixture
def charlie() -> User:
    """Staff."""
    return person("charlie", is_staff=True)


@pytest.fixture
def full_site(alice: User, bob: User) -> Samples:
    """Something of everything."""
    worker()
    builder()
    store(measured())
    store(unavailable("softmax", "cpu", "tvm", Clock.OWN, "TVM_BENCH_CMD is not set"))
    done = {
        "accepted": finish(evaluation_of(hand_in(alice)), dataclasses.replace(accepted(1.32), log="warm\n")),
        "locked": finish(evaluation_of(hand_in(bob, visibility="result", agent="an agent")), accepted(1.318)),
        "interpreted": finish(
            evaluation_of(hand_in(alice, kernel_type="triton")), accepted(0.01, interpreted=True, kernel_type=KernelType.TRITON)
        ),
        "wrong": finish(evaluation_of(hand_in(bob, kernel_type="triton")), wrong_result()),
        "broken": finish(evaluation_of(hand_in(bob)), broken()),
    }
    going = {"queued": evaluation_of(hand_in(bob)), "running": at_stage(evaluation_of(hand_in(alice)), State.TIMING)}
    done["edited"] = finish(evaluation_of(hand_in(bob, source=EDITED, parent=done["accepted"].submission_id)), accepted(1.2))
    done["held"] = finish(evaluation_of(hand_in(bob, source=SIMILAR)), suspect())
    hook = make_webhook(alice, "https://example.org/kernels", ["done", "record_lost"])
    send_test(hook)
    pair = f"{done['accepted'].pk},{done['locked'].pk}"
    group = make_group(bob, "A lab")
    contest = competition(group)
    link = invite(bob, group.pk, days=7, competition=contest.slug)
    for tag, speedup in (("earlier", 1.3), ("later", 1.4)):
        run(tag, speedup)
    others = {"run": "later", "held": done["held"].pk, "pair": pair, "author": "alice", "webhook": hook.pk}
    others |= {"group": group.pk, "competition": contest.slug, "invitation": link.pk}
    return {name: evaluation.submission_id for name, evaluation in (done | going).items()} | others


@pytest.fixture
def as_alice(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def as_bob(bob: User) -> Client:
    return signed_in(bob)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client

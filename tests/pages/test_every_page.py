"""What holds for every page: one h1, a title, landmarks, labels, nothing inline, a strict CSP."""

from __future__ import annotations

import dataclasses

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import KernelType, State
from tests.pages.cast import at_stage, evaluation_of, finish, hand_in, worker
from tests.pages.markup import Markup, faults
from tests.pages.outcomes import accepted, wrong_result

OPEN_TO_ALL = (
    "/",
    "/ops/",
    "/ops/?q=soft&suite=smoke&tag=reduction",
    "/ops/?q=nothing-like-it",
    "/ops/softmax/",
    "/ops/mm/?device=h100",
    "/ops/softmax/cpu/",
    "/ops/softmax/h100/?kernel_type=triton",
    "/results/",
    "/results/?suite=core&device=h100&by=agent",
    "/results/?suite=smoke&device=cpu&author=alice",
    "/submit/",
    "/submit/?op=softmax&starter=triton",
    "/status/",
    "/rules/",
    "/api/docs/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/signin/not-a-key/",
)
OWN = ("/me/", "/accounts/logout/", "/accounts/password/change/", "/accounts/email/")


@pytest.fixture
def full_site(alice: User, bob: User) -> list[str]:
    """Something of everything; gives the addresses of the result pages."""
    worker()
    done = [
        finish(evaluation_of(hand_in(alice)), dataclasses.replace(accepted(1.32), log="warm\n")),
        finish(evaluation_of(hand_in(bob, visibility="result", agent="an agent")), accepted(1.318)),
        finish(evaluation_of(hand_in(alice, kernel_type="triton")), accepted(0.01, interpreted=True, kernel_type=KernelType.TRITON)),
        finish(evaluation_of(hand_in(bob, kernel_type="triton")), wrong_result()),
    ]
    going = [evaluation_of(hand_in(bob)), at_stage(evaluation_of(hand_in(alice)), State.TIMING)]
    return [f"/s/{evaluation.submission_id}/" for evaluation in (*done, *going)]


def test_every_page_for_a_visitor(client: Client, full_site: list[str]) -> None:
    wrong = {}
    for path in (*OPEN_TO_ALL, *full_site):
        answer = client.get(path)
        found = faults(answer.content.decode())
        if answer.status_code not in (200, 410) or found:
            wrong[path] = (answer.status_code, found)

    assert not wrong


def test_every_page_for_someone_signed_in(as_alice: Client, full_site: list[str]) -> None:
    wrong = {path: found for path in (*OPEN_TO_ALL[:16], *OWN, *full_site) if (found := faults(as_alice.get(path).content.decode()))}

    assert not wrong


@pytest.mark.parametrize("path", ["/nothing/", "/ops/nothing/", "/ops/softmax/nothing/", "/s/nothing/"])
def test_what_does_not_exist_is_said_in_the_same_design(client: Client, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 404
    assert not faults(answer.content.decode())


def test_pages_carry_a_strict_policy(client: Client) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]

    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy


def test_every_internal_link_answers(as_alice: Client, full_site: list[str]) -> None:
    seen: set[str] = set()
    broken = []
    waiting = ["/", "/me/", "/accounts/login/", *full_site, "/readyz"]  # from the end: while the worker's sign of life is fresh
    while waiting:
        path = waiting.pop().partition("#")[0]
        if not path.startswith("/") or path in seen:
            continue
        seen.add(path)
        answer = as_alice.get(path)
        if answer.status_code >= 400:
            broken.append((path, answer.status_code))
        if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html") and len(seen) < 400:
            page = Markup(answer.content.decode())
            waiting += [
                link if link.startswith("/") else path.partition("?")[0] + link for link in page.links if not link.startswith("http")
            ]

    assert not broken
    assert len(seen) > 60

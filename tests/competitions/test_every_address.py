"""Every address of the site, asked by whoever is not invited and by members before the end: pages to come are asked as well."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client
from django.urls import NoReverseMatch, get_resolver, reverse
from django.urls.resolvers import URLPattern, URLResolver

from evaluator.contract import Outcome, Reason, State
from submissions import events
from submissions.artefacts import keep_artefacts
from submissions.competitions.models import Competition, Group
from submissions.models import Evaluation
from tests.competitions.conftest import client_of, closed
from tests.pages.cast import SOURCE, at_stage, evaluation_of, finish, hand_in
from tests.pages.outcomes import accepted, wrong_result
from tests.pages.profiles import artefacts

People = dict[str, User | AnonymousUser]
TRICK = "a secret trick"
NOT_ASKED = ("accounts",)
"""allauth's own."""
FILE = "softmax_kernel-abababab.ptx"


@pytest.fixture
def runs(private: Competition, bob: User) -> list[Evaluation]:
    """Bob's in the competition: accepted with all that a result can have, wrong, running, waiting. The trick is wherever a source shows."""
    told = accepted(1.4)
    quoting = dataclasses.replace(told.cases[0], reason=f"it is right\n{TRICK}")
    best = _enter(bob, private, 1, dataclasses.replace(told, log=TRICK, cases=(quoting, *told.cases[1:])))
    keep_artefacts(best, artefacts(TRICK.encode()))
    events.append(events.evaluation_stream(best.pk), "log", {"text": TRICK})
    reason = Reason("wrong_result", "1 of 2 cases is wrong", TRICK, "Subtract the maximum first.")
    wrong = _enter(bob, private, 2, dataclasses.replace(wrong_result(), log=TRICK, reasons=(reason,)))
    running = at_stage(_enter(bob, private, 3), State.TIMING)
    events.append(events.evaluation_stream(running.pk), "log", {"text": TRICK})
    return [best, wrong, running, _enter(bob, private, 4)]


@pytest.mark.parametrize("phase", ["open", "closed"])
@pytest.mark.parametrize("reader", ["dana", "nobody"])
def test_who_is_not_invited_sees_nothing(
    people: People, lab: Group, private: Competition, runs: list[Evaluation], reader: str, phase: str
) -> None:
    if phase == "closed":
        closed(private)
    leaks = (private.slug, private.title, TRICK, "bob", lab.pk, lab.name, *(one for run in runs for one in (run.pk, run.submission_id)))
    client = client_of(people[reader])

    told: dict[str, list[str]] = {}
    for path in addresses(private, lab, runs):
        for headers in ({}, {"HX-Request": "true"}):
            text = _text(client, path, headers)
            if found := [leak for leak in leaks if leak in text and leak not in path]:  # but for what the reader has typed
                told[path] = found

    assert told == {}


@pytest.mark.parametrize("reader", ["dana", "nobody"])
def test_who_is_not_invited_changes_nothing(people: People, lab: Group, private: Competition, runs: list[Evaluation], reader: str) -> None:
    client, before = client_of(people[reader]), _state(private, lab)
    own = [path for path in addresses(private, lab, runs) if any(one in path for run in runs for one in (run.pk, run.submission_id))]

    answers = {path: client.post(path).status_code for path in own if "?" not in path}

    assert {path: code for path, code in answers.items() if code not in (401, 403, 404, 405)} == {}
    assert _state(private, lab) == before


def test_members_read_results_and_no_source_until_it_closes(private: Competition, lab: Group, runs: list[Evaluation], alice: User) -> None:
    client, best = client_of(alice), runs[0]
    own = finish(evaluation_of(hand_in(alice, source=b"MINE = 1\n", competition=private.slug)), accepted(1.2))
    paths = [*addresses(private, lab, runs), f"/compare/?ids={own.pk},{best.pk}"]

    before = {path for path in paths if TRICK in _text(client, path)}
    seen = client.get(f"/s/{best.submission_id}/")
    closed(private)
    after = {path for path in paths if TRICK in _text(client, path)}

    assert before == set()
    assert "Accepted" in seen.content.decode()
    assert after == {
        f"/s/{best.submission_id}/",
        f"/s/{best.submission_id}/source/",
        f"/s/{best.submission_id}/artefacts/{FILE}",
        f"/api/v1/submissions/{best.submission_id}",
        f"/api/v1/evaluations/{best.pk}",
        f"/api/v1/evaluations/{best.pk}/events",
        f"/api/v1/evaluations/{best.pk}/log",
        f"/api/v1/evaluations/{best.pk}/artefacts/{FILE}",
        f"/compare/?ids={own.pk},{best.pk}",
        f"/submit/?from={best.submission_id}",
    }


def test_what_was_made_from_it_does_not_lead_back(private: Competition, runs: list[Evaluation], people: People) -> None:
    shown = hand_in(runs[0].author, source=b"ANOTHER = 2\n", parent=runs[0].submission_id)
    dana = client_of(people["dana"])

    page = dana.get(f"/s/{shown.pk}/").content.decode()
    asked = dana.get(f"/api/v1/submissions/{shown.pk}").json()

    assert runs[0].submission_id not in page
    assert asked["parent"] is None


def test_who_left_sees_their_own_result_and_nothing_of_the_board(
    private: Competition, lab: Group, runs: list[Evaluation], alice: User, bob: User
) -> None:
    rival = _enter(alice, private, 5, accepted(2.0))
    path = f"/s/{runs[0].submission_id}/"
    during = client_of(bob).get(path).content.decode()

    lab.memberships.filter(user=bob).delete()

    after = client_of(bob).get(path).content.decode()
    assert rival.pk in during
    assert f"?competition={private.slug}" in during
    assert not [leak for leak in (rival.pk, rival.submission_id, "alice", private.slug, private.title) if leak in after]


def test_the_public_may_share_what_everybody_sees(public: Competition, private: Competition, bob: User, client: Client) -> None:
    shown, hidden = _enter(bob, public, 1, accepted(1.4)), _enter(bob, private, 2, accepted(1.4))

    answers = {
        run: (client.get(f"/card/{run.pk}.png").status_code, client.get(f"/badge/{run.pk}.svg").status_code) for run in (shown, hidden)
    }

    assert answers == {shown: (200, 200), hidden: (404, 404)}
    assert "no entry" in client.get("/badge/softmax/cpu/bob.svg").content.decode()  # that one is of the open board


def addresses(private: Competition, lab: Group, runs: Sequence[Evaluation]) -> list[str]:
    """Every address with everything that names something in it, and the lists with what narrows them down."""
    values: Mapping[str, Sequence[str]] = {
        "submission_id": [run.submission_id for run in runs],
        "evaluation_id": [run.pk for run in runs],
        "slug": ["softmax", private.slug, lab.pk],
        "op": ["softmax"],
        "device": ["cpu"],
        "name": ["bob", FILE],
        "author": ["bob"],
        "kernel_type": ["torch"],
        "member_id": [str(runs[0].author_id)],
        "key": ["nothing"],
        "token_key": ["nothing"],
        "token_id": ["nothing"],
        "webhook_id": ["nothing"],
        "delivery_id": ["nothing"],
        "decision_id": ["nothing"],
        "tag": ["nothing"],
    }
    found = []
    for pattern in _patterns(get_resolver()):
        names = list(pattern.pattern.regex.groupindex)
        chosen = itertools.product(*(values[name] for name in names))
        for one in chosen:
            with contextlib.suppress(NoReverseMatch):  # a file's name is no document's
                found.append(reverse(str(pattern.name), kwargs=dict(zip(names, one, strict=True))))
    ids = ",".join(run.pk for run in runs[:2])
    found += [
        f"/compare/?ids={ids}",
        f"/api/v1/compare?ids={ids}",
        f"/submit/?from={runs[0].submission_id}",
        f"/submit/?competition={private.slug}",
        f"/ops/softmax/cpu/?competition={private.slug}",
        f"/ops/softmax/cpu/?group={lab.pk}",
        f"/api/v1/leaderboards/softmax/cpu?competition={private.slug}&format=csv",
        f"/api/v1/submissions?competition={private.slug}",
        "/api/v1/submissions?author=bob",
        "/api/v1/evaluations?author=bob",
        f"/api/v1/evaluations?submission={runs[0].submission_id}",
        "/api/v1/competitions?op=softmax&device=cpu",
        "/api/v1/results?suite=smoke&device=cpu&by=author",
        "/api/v1/results?suite=smoke&device=cpu&author=bob",
        "/results/?suite=smoke&device=cpu",
        "/feed/?author=bob",
        "/feed/?verdict=running",
    ]
    return found


def _patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for each in resolver.url_patterns:
        if str(each.pattern).partition("/")[0] in NOT_ASKED:
            continue
        if isinstance(each, URLResolver):
            yield from _patterns(each)
        else:
            yield each


def _text(client: Client, path: str, headers: Mapping[str, str] | None = None) -> str:
    """What is answered, headers included."""
    answer = client.get(path, headers=dict(headers or {}))
    body = b"".join(answer) if answer.streaming else answer.content  # type: ignore[arg-type]
    return body.decode(errors="replace") + " ".join(answer.headers.values())


def _enter(author: User, to: Competition, number: int, outcome: Outcome | None = None) -> Evaluation:
    run = evaluation_of(hand_in(author, source=(SOURCE + f"# {TRICK}\nNUMBER = {number}\n").encode(), competition=to.slug))
    return run if outcome is None else finish(run, outcome)


def _state(private: Competition, lab: Group) -> object:
    ended = list(Evaluation.objects.order_by("pk").values_list("pk", "state", "cancel_requested"))
    return ended, lab.memberships.count(), lab.invitations.count(), private.submissions.count()

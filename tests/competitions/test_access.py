"""Who sees what of a competition, at every door: what is by invitation does not exist for others, and sources stay closed until the end."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import AnonymousUser, User

from submissions import access
from submissions.competitions.models import Competition, Group
from submissions.events import FEED, board_stream, read
from submissions.models import Evaluation, Submission
from tests.competitions.conftest import client_of, closed, competition
from tests.pages.cast import SOURCE, evaluation_of, finish, hand_in
from tests.pages.outcomes import accepted

People = dict[str, User | AnonymousUser]
TRICK = "a secret trick"
READERS = ("alice", "bob", "charlie", "dana", "nobody")
MEMBERS = ("alice", "bob", "charlie")


def entered(author: User, to: Competition, speedup: float = 1.4) -> Evaluation:
    """An accepted kernel, handed in to a competition."""
    source = (SOURCE + f"# {TRICK}\n_FACTOR = {speedup}\n").encode()
    return finish(evaluation_of(hand_in(author, source=source, competition=to.slug)), accepted(speedup))


def leaks(to: Competition, run: Evaluation, lab: Group | None = None) -> tuple[str, ...]:
    """What no page may show to whoever is not invited."""
    return (to.slug, to.title, run.pk, run.submission_id, TRICK, "bob", *((lab.pk, lab.name) if lab else ()))


@pytest.mark.parametrize("phase", ["open", "closed"])
@pytest.mark.parametrize("admission", ["invitation", "public"])
@pytest.mark.parametrize("reader", READERS)
def test_results_and_sources(people: People, lab: Group, bob: User, reader: str, admission: str, phase: str) -> None:
    to = competition(lab if admission == "invitation" else None)
    run = entered(bob, to)
    if phase == "closed":
        closed(to)
    user = people[reader]
    sees = admission == "public" or reader in MEMBERS
    reads = reader in ("bob", "charlie") or (phase == "closed" and sees)

    assert access.visible_submissions(user).exists() is sees
    assert access.visible_evaluations(user).exists() is sees
    assert access.may_read_source(user, Submission.objects.get()) is reads
    assert access.may_read_log(user, Evaluation.objects.get(pk=run.pk)) is reads


@pytest.mark.parametrize("phase", ["open", "closed"])
@pytest.mark.parametrize("reader", READERS)
def test_every_page_of_a_competition_by_invitation(
    people: People, lab: Group, private: Competition, bob: User, reader: str, phase: str
) -> None:
    run = entered(bob, private)
    if phase == "closed":
        closed(private)
    client, sees = client_of(people[reader]), reader in MEMBERS
    reads = reader in ("bob", "charlie") or (sees and phase == "closed")
    paths = {
        f"/competitions/{private.slug}/": sees,
        f"/ops/softmax/cpu/?competition={private.slug}": sees,
        f"/s/{run.submission_id}/": sees,
        f"/s/{run.submission_id}/source/": reads,
        f"/api/v1/competitions/{private.slug}": sees,
        f"/api/v1/competitions/{private.slug}/standings": sees,
        f"/api/v1/competitions/{private.slug}/standings?format=csv": sees,
        f"/api/v1/leaderboards/softmax/cpu?competition={private.slug}": sees,
        f"/api/v1/leaderboards/softmax/cpu?format=csv&competition={private.slug}": sees,
        f"/api/v1/submissions/{run.submission_id}": sees,
        f"/api/v1/evaluations/{run.pk}": sees,
        f"/api/v1/evaluations/{run.pk}/events": sees,
        f"/api/v1/evaluations/{run.pk}/feedback": sees,
        f"/api/v1/evaluations/{run.pk}/samples": sees,
    }

    answers = {path: client.get(path) for path in paths}

    assert {path: answer.status_code == 200 for path, answer in answers.items()} == paths
    assert not [path for path, answer in answers.items() if not reads and TRICK in answer.content.decode()]
    shown = answers[f"/s/{run.submission_id}/"].content.decode()
    assert (TRICK in shown) is reads
    assert client.get(f"/api/v1/evaluations/{run.pk}/log").status_code == (200 if reads else 403 if sees else 404)


@pytest.mark.parametrize("reader", ["dana", "nobody"])
@pytest.mark.parametrize("phase", ["open", "closed"])
def test_a_competition_by_invitation_leaves_no_trace_elsewhere(
    people: People, lab: Group, private: Competition, alice: User, bob: User, reader: str, phase: str
) -> None:
    run = entered(bob, private)
    if phase == "closed":
        closed(private)
    client = client_of(people[reader])
    paths = (
        "/", "/ops/", "/ops/softmax/", "/ops/softmax/cpu/", "/competitions/", "/results/", "/results/?suite=smoke&device=cpu", "/status/",
        "/submit/", f"/submit/?competition={private.slug}", "/api/v1/submissions", f"/api/v1/submissions?competition={private.slug}",
        "/api/v1/competitions", "/api/v1/competitions?op=softmax&device=cpu", "/api/v1/leaderboards/softmax/cpu",
        "/api/v1/leaderboards/softmax/cpu?format=csv", "/api/v1/results?suite=smoke&device=cpu", "/api/v1/status", "/api/v1/ops/softmax",
    )  # fmt: skip

    wrong = {}
    for path in paths:
        answer = client.get(path)
        told = [leak for leak in leaks(private, run, lab) if leak not in path]  # but for what the reader has typed
        if found := [leak for leak in told if leak in answer.content.decode()]:
            wrong[path] = (answer.status_code, found)

    assert not wrong
    assert client.get("/api/v1/leaderboards/softmax/cpu").json()["standing"] == 0
    assert client.get("/api/v1/stats").json()["entries"] == 0


def test_the_open_board_and_the_feed_hear_nothing_of_a_competition(private: Competition, public: Competition, bob: User) -> None:
    entered(bob, private)
    entered(bob, public)

    assert read(FEED, 0) == []
    assert read(board_stream("softmax", "cpu"), 0) == []


def test_results_of_suites_do_not_count_what_others_handed_in_to_a_competition(private: Competition, alice: User, bob: User) -> None:
    entered(bob, private)

    rows = client_of(alice).get("/api/v1/results?suite=smoke&device=cpu&by=author").json()["rows"]

    assert [row["author"] for row in rows] == []


def test_only_entries_are_opened_at_the_end(private: Competition, alice: User, bob: User) -> None:
    slower, faster = entered(bob, private, 1.2), entered(bob, private, 1.6)

    closed(private)

    readable = [run.pk for run in (slower, faster) if access.may_read_source(alice, Submission.objects.get(pk=run.submission_id))]
    assert readable == [faster.pk]


def test_who_leaves_sees_no_more_and_keeps_their_own(lab: Group, private: Competition, alice: User, bob: User) -> None:
    own, others = entered(bob, private), entered(alice, private)

    client_of(bob).post(f"/groups/{lab.pk}/leave/")

    assert client_of(bob).get(f"/competitions/{private.slug}/").status_code == 404
    assert client_of(bob).get(f"/s/{others.submission_id}/").status_code == 404
    page = client_of(bob).get(f"/s/{own.submission_id}/")
    assert page.status_code == 200
    assert private.slug not in page.content.decode()


def test_a_deleted_competition_leaves_its_submissions_private(private: Competition, bob: User, people: People) -> None:
    run = entered(bob, private)

    private.delete()

    assert [name for name, user in people.items() if access.visible_submissions(user).filter(pk=run.submission_id).exists()] == [
        "bob",
        "charlie",
    ]


@pytest.mark.parametrize("reader", READERS)
def test_a_group_exists_for_its_members_and_staff(people: People, lab: Group, alice: User, reader: str) -> None:
    client, sees = client_of(people[reader]), reader in MEMBERS

    page = client.get(f"/groups/{lab.pk}/")
    filtered = client.get(f"/ops/softmax/cpu/?group={lab.pk}")
    asked = client.get(f"/api/v1/groups/{lab.pk}")

    assert (page.status_code == 200) is sees
    assert filtered.status_code == (200 if sees else 404)
    assert asked.status_code == (200 if sees else 401 if reader == "nobody" else 404)
    listed = client.get("/api/v1/groups")
    assert (lab.pk in json.dumps(listed.json())) is sees


def test_links_are_shown_to_owners_alone(lab: Group, alice: User, bob: User) -> None:
    client_of(alice).post(f"/groups/{lab.pk}/links/", {"days": "7", "competition": ""})
    key = lab.invitations.get().pk

    assert key in client_of(alice).get(f"/groups/{lab.pk}/").content.decode()
    assert key not in client_of(bob).get(f"/groups/{lab.pk}/").content.decode()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("act", "may"),
    [
        ("change/", ("alice", "charlie")),
        ("links/", ("alice", "charlie")),
        ("members/{dana}/remove/", ("alice", "charlie")),
        ("members/{dana}/owner/", ("alice", "charlie")),
    ],
)
def test_owners_and_staff_alone_manage(people: People, lab: Group, dana: User, reader: str, act: str, may: tuple[str, ...]) -> None:
    lab.memberships.create(user=dana)
    before = _state(lab)

    sent = {"name": "Renamed", "about": "", "days": "1", "competition": ""}
    client_of(people[reader]).post(f"/groups/{lab.pk}/{act.format(dana=dana.pk)}", sent)

    lab.refresh_from_db()
    assert (_state(lab) != before) is (reader in may)


@pytest.mark.parametrize("reader", READERS)
def test_organisers_alone_change_a_competition(people: People, lab: Group, private: Competition, reader: str) -> None:
    answer = client_of(people[reader]).get(f"/competitions/{private.slug}/edit/")

    assert (answer.status_code == 200) is (reader in ("alice", "charlie"))


def _state(lab: Group) -> object:
    return (lab.name, list(lab.memberships.order_by("pk").values_list("user_id", "is_owner")), lab.invitations.count())

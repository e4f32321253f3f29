"""The list, the page of a competition and its API: what, when, boards, standings, entries, how to take part; few queries."""

from __future__ import annotations

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.compare import compare
from submissions.competitions.models import Competition, Group
from tests.competitions.conftest import HOUR, client_of, closed, competition
from tests.pages.cast import SOURCE, evaluation_of, finish, hand_in, person
from tests.pages.markup import faults
from tests.pages.outcomes import accepted


def enter(author: User, to: Competition, speedup: float, op: str = "softmax") -> None:
    source = (SOURCE + f"# {author} {speedup}\n").encode()
    finish(evaluation_of(hand_in(author, op=op, source=source, competition=to.slug)), accepted(speedup))


def test_every_page_is_sound_in_each_phase(lab: Group, private: Competition, alice: User, bob: User) -> None:
    coming, over = competition(lab, opens_in=HOUR, closes_in=2 * HOUR, title="Coming soon"), closed(competition(lab, title="Long over"))
    enter(bob, private, 1.4)
    paths = [
        "/competitions/", "/competitions/new/", "/groups/", f"/groups/{lab.pk}/", f"/competitions/{private.slug}/edit/",
        f"/submit/?competition={private.slug}", f"/ops/softmax/cpu/?competition={private.slug}", f"/ops/softmax/cpu/?group={lab.pk}",
        *(f"/competitions/{one.slug}/" for one in (private, coming, over)),
    ]  # fmt: skip
    link = client_of(alice).post(f"/groups/{lab.pk}/links/", {"days": "7", "competition": private.slug}, follow=True)
    paths.append(f"/join/{lab.invitations.get().pk}/")
    client = client_of(alice)

    wrong = {path: found for path in paths if (found := faults(client.get(path, follow=True).content.decode()))}

    assert link.status_code == 200
    assert not wrong


def test_a_visitors_pages_are_sound(client: Client, lab: Group, public: Competition, alice: User) -> None:
    client_of(alice).post(f"/groups/{lab.pk}/links/", {"days": "7", "competition": ""})
    key = lab.invitations.get().pk
    closed(competition(None))
    for path in ("/competitions/", f"/competitions/{public.slug}/", f"/join/{key}/", f"/ops/softmax/cpu/?competition={public.slug}"):
        answer = client.get(path)
        assert (answer.status_code, faults(answer.content.decode())) == (200, [])


def test_the_list_says_what_is_open_coming_and_closed(client: Client, public: Competition) -> None:
    competition(None, opens_in=HOUR, closes_in=2 * HOUR, title="Coming soon")
    closed(competition(None, title="Long over"))

    page = client.get("/competitions/").content.decode()

    order = [page.index(each) for each in ('id="open-head"', public.title, "Coming soon", "Long over")]
    assert order == sorted(order)
    assert "in 59 min" in page


def test_a_new_one_is_offered_to_who_may_make_it(lab: Group, alice: User, bob: User, charlie: User, dana: User, client: Client) -> None:
    for reader, may in (
        (client_of(alice), True),
        (client_of(charlie), True),
        (client_of(bob), False),
        (client_of(dana), False),
        (client, False),
    ):
        assert ("/competitions/new/" in reader.get("/competitions/").content.decode()) is may
        if may:
            assert reader.get("/competitions/new/").status_code == 200


def test_the_page_tells_all(public: Competition, alice: User, bob: User, client: Client) -> None:
    enter(alice, public, 4.0)
    enter(bob, public, 2.0)
    enter(bob, public, 2.0, op="relu")

    page = client.get(f"/competitions/{public.slug}/").content.decode()

    standings = page[page.index('id="standings"') : page.index('id="boards"')]
    assert standings.index("alice") < standings.index("bob") or "tied, 2" in standings
    assert "2 taking part, 3 submissions" in page
    assert f"/ops/relu/cpu/?competition={public.slug}" in page
    assert f"kb submit my_kernel.py --op softmax --device cpu --competition {public.slug}" in page
    assert "Sign in to take part" in page
    assert 'data-countdown="' in page


def test_the_fragment_holds_what_is_live_alone(public: Competition, client: Client) -> None:
    fragment = client.get(f"/competitions/{public.slug}/", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in fragment
    assert 'id="standings"' in fragment


def test_what_is_offered_follows_the_phase(lab: Group, bob: User) -> None:
    coming, over = competition(lab, opens_in=HOUR, closes_in=2 * HOUR), closed(competition(lab))

    for one, said in ((coming, "It has not opened yet."), (over, "Nobody had an entry.")):
        page = client_of(bob).get(f"/competitions/{one.slug}/").content.decode()
        assert said in page
        assert "Hand in a kernel</a>" not in page


def test_over_rest(private: Competition, public: Competition, alice: User, bob: User, client: Client) -> None:
    enter(bob, private, 4.0)
    enter(alice, private, 1.0)

    shown = client_of(bob).get(f"/api/v1/competitions/{private.slug}").json()
    listed = client_of(bob).get("/api/v1/competitions?phase=open&op=softmax&device=cpu").json()["results"]

    assert (shown["phase"], shown["may_take_part"], shown["sources_readable"]) == ("open", True, False)
    assert (shown["participants"], shown["submissions"]) == (2, 2)
    assert [(row["rank"], row["author"], row["speedups"]) for row in shown["standings"]] == [
        (1, "bob", [4.0, None]),
        (2, "alice", [1.0, None]),
    ]
    assert shown["standings"][0]["score"] == pytest.approx(2.0)
    assert [(board["op"], board["entries"]) for board in shown["boards"]] == [("softmax", 2), ("relu", 0)]
    assert shown["boards"][0]["leader"]["author"] == "bob"
    assert {row["slug"] for row in listed} == {private.slug, public.slug}
    assert [row["slug"] for row in client.get("/api/v1/competitions").json()["results"]] == [public.slug]
    assert client.get("/api/v1/competitions?phase=soon").status_code == 400


def test_the_list_over_rest_comes_in_pages(public: Competition, client: Client) -> None:
    slugs = {public.slug, *(competition(None, opens_in=-n * HOUR).slug for n in range(1, 5))}

    path, found = "/api/v1/competitions?limit=2", []
    while path:
        page = client.get(path).json()
        assert len(page["results"]) <= 2
        found += [row["slug"] for row in page["results"]]
        path = page["next"]

    assert len(found) == 5 and set(found) == slugs


def test_whoever_left_the_group_is_not_told_its_competition(lab: Group, private: Competition, alice: User, bob: User) -> None:
    made = hand_in(bob, competition=private.slug)
    shown = {name: client_of(user).get(f"/api/v1/submissions/{made.pk}").json() for name, user in (("alice", alice), ("bob", bob))}
    lab.memberships.filter(user=bob).delete()

    client = client_of(bob)
    after = client.get(f"/api/v1/submissions/{made.pk}").json()
    (row,) = client.get("/api/v1/submissions").json()["results"]

    assert {document["competition"] for document in shown.values()} == {private.slug}
    assert (after["id"], after["competition"], row["competition"]) == (made.pk, None, None)
    assert client.get(f"/api/v1/submissions?competition={private.slug}").json()["results"] == []


def test_sides_of_a_closed_competition_are_compared_in_two_queries(private: Competition, alice: User, bob: User) -> None:
    runs = []
    for number, speedup in enumerate((1.2, 3.0, 1.1)):
        made = hand_in(bob, source=(SOURCE + f"NUMBER = {number}\n").encode(), competition=private.slug)
        runs.append(finish(evaluation_of(made), accepted(speedup)))
    closed(private)

    with CaptureQueriesContext(connection) as seen:
        found = compare([run.pk for run in runs], alice)

    assert len(seen) <= 2
    assert [side.may_read_source for side in found.sides] == [False, True, False]


def test_standings_as_csv_and_not_sent_twice(public: Competition, bob: User, client: Client) -> None:
    enter(bob, public, 4.0)
    path = f"/api/v1/competitions/{public.slug}/standings?format=csv"

    answer = client.get(path)

    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["rank"], row["author"], row["softmax/cpu"], row["relu/cpu"]) == ("1", "bob", "4.0", "")
    assert f"{public.slug}_standings.csv" in answer["Content-Disposition"]
    assert client.get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_pages_ask_as_often_for_many_as_for_few(public: Competition, lab: Group, alice: User) -> None:
    paths = (("/competitions/", 8), (f"/competitions/{public.slug}/", 13), ("/groups/", 4), (f"/groups/{lab.pk}/", 9))
    client = client_of(alice)
    few = {path: _queries(client, path) for path, _ in paths}
    for number in range(4):
        somebody = person(f"author{number}")
        lab.memberships.create(user=somebody)
        competition(lab)
        enter(somebody, public, 1.1 + number / 10)

    many = {path: _queries(client, path) for path, _ in paths}

    assert {path: count for path, count in many.items() if count > few[path] + 2} == {}  # a first entry brings titles of ops and devices
    assert {path: (many[path], most) for path, most in paths if many[path] > most} == {}


def _queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code == 200
    return len(seen)

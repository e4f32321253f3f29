"""`/u/<name>/`: bests with ranks, activity, labels, and only what the reader may see."""

from __future__ import annotations

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from leaderboard import authors
from leaderboard.authors import Day, profile
from leaderboard.charts import activity_svg
from leaderboard.charts.activity import level
from submissions.models import Evaluation
from tests.leaderboard.conftest import confirm, finish_evaluation
from tests.leaderboard.test_charts import checked
from tests.pages.cast import evaluation_of, finish, hand_in, person
from tests.pages.markup import Markup, faults
from tests.pages.outcomes import accepted, wrong_result


def test_bests_carry_their_rank_and_what_was_confirmed_its_record(client: Client, alice: User, bob: User) -> None:
    finish_evaluation(bob, 2.0, agent="a bot")
    confirm(2.0, 2.0, 2.0)
    finish(evaluation_of(hand_in(alice)), accepted(1.3))

    ours, theirs = (profile(user, alice) for user in (alice, bob))
    page = client.get("/u/bob/").content.decode()

    assert [(best.place.rank, best.rivals, best.holds) for best in ours.bests if best.place] == [(2, 2, False)]
    assert [(best.place.rank, best.rivals, best.holds) for best in theirs.bests if best.place] == [(1, 2, True)]
    assert (theirs.records, theirs.firsts, ours.records) == (1, 1, 0)
    assert "a bot" in page
    assert ">record</span>" in page
    assert not faults(page)


def test_activity_counts_days_and_labels(as_alice: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted())
    finish(evaluation_of(hand_in(alice, agent="a bot", kernel_type="triton")), wrong_result())
    old = evaluation_of(hand_in(alice))
    Evaluation.objects.filter(pk=old.pk).update(queued_at=timezone.now() - dt.timedelta(days=800))

    found = profile(alice, alice)

    assert [(day.evaluations, day.accepted) for day in found.days] == [(2, 1)]
    assert {label.agent: (label.evaluations, label.accepted) for label in found.labels} == {"": (2, 1), "a bot": (1, 0)}
    page = as_alice.get("/u/alice/").content.decode()
    assert "2 evaluations on 1 day of the last year." in page
    assert "/feed/?author=alice&agent=a%20bot" in Markup(page).links


def test_totals_are_over_all_labels(monkeypatch: pytest.MonkeyPatch, alice: User) -> None:
    monkeypatch.setattr(authors, "MOST_LABELS", 1)
    for agent in ("", "a bot", "another"):
        finish(evaluation_of(hand_in(alice, agent=agent)), accepted())

    found = profile(alice, alice)

    assert (len(found.labels), found.evaluations, found.accepted) == (1, 3, 3)


def test_what_is_private_shows_to_its_author_alone(client: Client, as_alice: Client, as_bob: Client, alice: User, bob: User) -> None:
    secret = hand_in(alice, visibility="private", agent="secret bot")
    finish(evaluation_of(hand_in(alice)), accepted())

    for reader in (client, as_bob):
        page = reader.get("/u/alice/").content.decode()
        assert secret.pk not in page
        assert "secret bot" not in page
    assert secret.pk in as_alice.get("/u/alice/").content.decode()


def test_who_has_shown_nothing_does_not_exist(client: Client, as_alice: Client, as_bob: Client, alice: User, bob: User) -> None:
    hand_in(alice, visibility="private")

    assert [reader.get("/u/alice/").status_code for reader in (client, as_bob, as_alice)] == [404, 404, 200]
    assert client.get("/u/nobody/").status_code == 404
    assert as_bob.get("/u/bob/").status_code == 200


def test_names_with_signs_and_accounts_that_nobody_uses_have_pages(client: Client) -> None:
    hand_in(person("a.b+c@d"))
    hand_in(person("examples", is_active=False))

    assert client.get("/u/a.b+c@d/").status_code == 200
    assert client.get("/u/examples/").status_code == 200


@pytest.mark.parametrize("days_ago", [0, 1, 6, 364, 371, 5000])
def test_a_year_is_drawn_around_any_day(days_ago: int) -> None:
    today = dt.date(2026, 11, 21)
    day = Day(today - dt.timedelta(days=days_ago), 9, 4)

    root = checked(activity_svg([day], today))

    squares = [element for element in root.iter() if element.tag.endswith("rect")]
    assert 52 * 7 < len(squares) <= 53 * 7
    assert [e.get("class") for e in squares].count("day-3") == (days_ago < 365)


def test_shades_rise_with_the_number() -> None:
    assert [level(n) for n in (0, 1, 3, 8, 20, 10_000)] == [0, 1, 2, 3, 4, 4]

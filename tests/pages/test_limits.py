"""The result page's limits, roofline and raw samples, and the status page's note on ceilings."""

from __future__ import annotations

import dataclasses

from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import Outcome
from evaluator.roofs import CaseLimit
from tests.leaderboard.test_roofline import LIMIT, NONE
from tests.pages.cast import evaluation_of, finish, hand_in, worker
from tests.pages.markup import faults
from tests.pages.outcomes import accepted


def with_limits(limit: CaseLimit) -> Outcome:
    outcome = accepted(1.32)
    cases = [
        case if case.timing is None else dataclasses.replace(case, timing=dataclasses.replace(case.timing, limit=limit))
        for case in outcome.cases
    ]
    return dataclasses.replace(outcome, cases=tuple(cases))


def page_of(client: Client, author: User, outcome: Outcome) -> tuple[str, str]:
    evaluation = finish(evaluation_of(hand_in(author)), outcome)
    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()
    assert not faults(page)
    return page, evaluation.pk


def test_limits_stand_in_a_table_and_in_a_picture(client: Client, alice: User) -> None:
    page, pk = page_of(client, alice, with_limits(LIMIT))

    assert page.count('class="chart chart-roofline"') == 1
    for said in ("81.8 MB", "of 134 MB", "83.9 M", "24.4 µs", "47.0 %", "30.0 %", "27.3 µs", "52.0 %", "33.0 %", "measured 2026-11-21"):
        assert said in page, said
    assert 'id="no-roofline"' not in page
    assert "limit by the table" in page and "limit as measured" in page
    table_alone, _ = page_of(client, alice, with_limits(dataclasses.replace(LIMIT, calibrated=None)))
    assert "limit by the table" in table_alone and "limit as measured" not in table_alone
    assert f"/api/v1/evaluations/{pk}/samples?format=csv" in page
    assert "chart-distribution" in page


def test_without_ceilings_the_page_says_why_there_is_no_picture(client: Client, alice: User) -> None:
    page, _ = page_of(client, alice, with_limits(NONE))

    assert "chart-roofline" not in page
    assert "limit by the table" not in page and "limit as measured" not in page
    assert 'id="no-roofline"' in page and "not calibrated: kb doctor --calibrate" in page


def test_a_capped_speedup_says_what_was_measured(client: Client, alice: User) -> None:
    page, _ = page_of(client, alice, with_limits(dataclasses.replace(LIMIT, uncapped_speedup=31.0)))

    assert "31.0× was measured; no right kernel can be more than" in page


def test_an_outcome_of_before_has_no_limits_and_still_a_page(client: Client, alice: User) -> None:
    page, _ = page_of(client, alice, accepted(1.32))

    assert 'id="limits"' not in page and 'id="roofline"' not in page


def test_the_status_page_says_which_ceilings_a_worker_has(client: Client, db: None) -> None:
    found = worker()
    found.calibration = {"note": "stale since torch was 2.12.0, is 2.13.0"}
    found.save()

    assert "ceilings: stale since torch was 2.12.0, is 2.13.0" in client.get("/status/").content.decode()
    assert client.get("/api/v1/status").json()["workers"][0]["calibration"] == found.calibration

"""Running a submission again: by its author, by staff, from the page and over REST."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.test import APIClient

from evaluator.contract import State, Verdict
from submissions.intake import IntakeError, QuotaError
from submissions.models import Evaluation, Purpose
from submissions.rerun import NotDoneError, rerun
from tests.submissions.conftest import HandIn
from tests.submissions.test_house import done


def test_an_author_runs_the_same_again(alice: User, hand_in: HandIn) -> None:
    old = done(hand_in(alice, mode="test", seed=7, policy="backendbench"))

    new = rerun(alice, old.pk)

    same = ("submission_id", "author_id", "op", "device", "mode", "seed", "policy")
    assert [getattr(new, name) for name in same] == [getattr(old, name) for name in same]
    assert (new.state, new.purpose) == (State.QUEUED, Purpose.RERUN)


def test_staff_run_anybodys_again_as_the_sites_own(alice: User, charlie: User, hand_in: HandIn, settings: LazySettings) -> None:
    old = done(hand_in(alice))
    settings.KB_OPEN_EVALUATIONS = 0

    new = rerun(charlie, old.pk)

    assert (new.author, new.purpose, new.is_house) == (alice, Purpose.HOUSE, True)


def test_others_may_not_and_what_they_may_not_see_does_not_exist(alice: User, bob: User, hand_in: HandIn) -> None:
    shown, private = done(hand_in(alice)), done(hand_in(alice, visibility="private"))

    for reader in (bob, AnonymousUser()):
        with pytest.raises(PermissionDenied):
            rerun(reader, shown.pk)
        with pytest.raises(Http404):
            rerun(reader, private.pk)


def test_what_still_runs_is_not_run_again(alice: User, hand_in: HandIn) -> None:
    with pytest.raises(NotDoneError, match="queued"):
        rerun(alice, hand_in(alice).pk)


def test_reruns_count_in_the_quota_of_open_ones_and_of_the_hour(alice: User, hand_in: HandIn, settings: LazySettings) -> None:
    old = done(hand_in(alice))
    settings.KB_OPEN_EVALUATIONS = 1
    rerun(alice, old.pk)
    with pytest.raises(QuotaError, match="not done"):
        rerun(alice, old.pk)

    Evaluation.objects.exclude(state=State.DONE).update(state=State.DONE, verdict=Verdict.ACCEPTED)
    settings.KB_SUBMISSIONS_PER_HOUR = 2
    with pytest.raises(QuotaError, match="2 submissions and reruns") as refused:
        rerun(alice, old.pk)

    assert 3500 < refused.value.retry_after_s <= 3600
    Evaluation.objects.filter(purpose=Purpose.RERUN).update(queued_at=old.queued_at - timedelta(hours=2))
    assert rerun(alice, old.pk)


def test_what_cannot_be_judged_any_more_says_why(alice: User, hand_in: HandIn) -> None:
    old = done(hand_in(alice))
    Evaluation.objects.filter(pk=old.pk).update(op="gone")

    with pytest.raises(IntakeError, match="gone is not offered any more"):
        rerun(alice, old.pk)


def test_over_rest(alice: User, bob: User, hand_in: HandIn, settings: LazySettings) -> None:
    old, going = done(hand_in(alice)), hand_in(alice)
    author, stranger = APIClient(), APIClient()
    author.force_authenticate(alice)
    stranger.force_authenticate(bob)
    url = f"/api/v1/evaluations/{old.pk}/rerun"

    made = author.post(url)

    assert made.status_code == 201
    assert (made.json()["submission"], made.json()["purpose"], made.json()["epoch"]) == (old.submission_id, "rerun", None)
    assert stranger.post(url).status_code == 403
    assert APIClient().post(url).status_code == 401
    assert author.post(f"/api/v1/evaluations/{going.pk}/rerun").status_code == 409
    settings.KB_OPEN_EVALUATIONS = 0
    refused = author.post(url)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")


def test_waiting_for_a_submission_does_not_wait_for_the_sites_own_runs(alice: User, charlie: User, hand_in: HandIn) -> None:
    old = done(hand_in(alice))
    rerun(charlie, old.pk)

    answer = APIClient().get(f"/api/v1/submissions/{old.submission_id}?wait=60").json()

    assert [(run["purpose"], run["state"]) for run in answer["evaluations"]] == [("hand_in", "done"), ("house", "queued")]

"""Raw samples: apart from the outcome, for whoever may see the result, gone with the evaluation."""

from __future__ import annotations

import csv
import dataclasses
import importlib
import io
import zlib

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from rest_framework.test import APIClient

from evaluator.contract import CaseResult, Outcome, State, from_json, to_json
from evaluator.samples import CaseSamples, samples_of
from submissions import samples
from submissions.finish import conclude
from submissions.models import Evaluation, Samples
from tests.pages.outcomes import accepted as timed
from tests.pages.outcomes import case, wrong_result
from tests.submissions.conftest import HandIn


def finished(run: Evaluation, outcome: Outcome) -> Evaluation:
    Evaluation.objects.filter(pk=run.pk).update(state=State.TIMING)
    run.refresh_from_db()
    with transaction.atomic():
        return conclude(run, outcome)


@pytest.fixture
def run(alice: User, hand_in: HandIn) -> Evaluation:
    return finished(hand_in(alice), timed())


def url(run: Evaluation, query: str = "") -> str:
    return f"/api/v1/evaluations/{run.pk}/samples{query}"


def test_the_outcome_is_stored_without_them_and_gets_them_back(run: Evaluation) -> None:
    stored = from_json(Outcome, Evaluation.objects.get(pk=run.pk).outcome)

    assert all(not (c.timing.samples_us or c.timing.baseline_samples_us) for c in stored.cases if c.timing)
    assert samples.of(run) == samples_of(timed().cases)
    again = samples.with_samples(stored, samples.of(run))
    assert [c.timing for c in again.cases] == [c.timing for c in timed().cases]


def test_json_has_both_sides_of_every_timed_case(run: Evaluation) -> None:
    answer = APIClient().get(url(run))

    body = answer.json()
    assert answer.status_code == 200
    assert (body["evaluation"], body["op"], body["device"], body["unit"]) == (run.pk, "softmax", "cpu", "us")
    assert [(each["case"], len(each["candidate_us"]), len(each["baseline_us"])) for each in body["cases"]] == [
        ("128x4096", 60, 60),
        ("32x50257", 60, 60),
    ]
    assert tuple(body["cases"][0]["candidate_us"]) == samples_of(timed().cases)[0].candidate_us


@pytest.mark.parametrize(("query", "headers"), [("?format=csv", {}), ("", {"Accept": "text/csv"})])
def test_csv_has_a_line_a_sample(run: Evaluation, query: str, headers: dict[str, str]) -> None:
    answer = APIClient().get(url(run, query), headers=headers)

    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{run.pk}_samples.csv"'
    assert len(lines) == 240
    assert (lines[0]["case"], lines[0]["side"], lines[0]["number"]) == ("128x4096", "candidate", "1")
    assert float(lines[60]["time_us"]) == samples_of(timed().cases)[0].baseline_us[0] and lines[60]["side"] == "baseline"


def test_one_case_alone(run: Evaluation) -> None:
    chosen = APIClient().get(url(run, "?case=32x50257")).json()
    unknown = APIClient().get(url(run, "?case=none"))

    assert [each["case"] for each in chosen["cases"]] == ["32x50257"]
    assert unknown.status_code == 400
    assert unknown.json()["errors"] == {"case": ["No timed case is called 'none'; there are: 128x4096, 32x50257."]}


def test_an_error_is_json_even_where_csv_was_asked_for(run: Evaluation) -> None:
    answer = APIClient().get(url(run, "?case=none&format=csv"))

    assert answer.status_code == 400 and answer.json()["errors"]["case"]


def test_what_was_not_timed_has_none(alice: User, hand_in: HandIn) -> None:
    run = finished(hand_in(alice), wrong_result())

    assert not Samples.objects.exists()
    assert APIClient().get(url(run)).json()["cases"] == []
    assert APIClient().get(url(run, "?format=csv")).content == b"case,side,number,time_us\r\n"


def test_before_the_end_there_are_none_yet(alice: User, hand_in: HandIn) -> None:
    answer = APIClient().get(url(hand_in(alice)))

    assert answer.status_code == 409 and "samples when it is done" in answer.json()["detail"]


def test_they_are_seen_by_whoever_may_see_the_result(alice: User, bob: User, hand_in: HandIn) -> None:
    private = finished(hand_in(alice, visibility="private"), timed())
    result_only = finished(hand_in(alice, visibility="result"), timed())
    author, stranger = APIClient(), APIClient()
    author.force_authenticate(alice)
    stranger.force_authenticate(bob)

    assert [client.get(url(private)).status_code for client in (author, stranger, APIClient())] == [200, 404, 404]
    assert [client.get(url(result_only)).status_code for client in (stranger, APIClient())] == [200, 200]


def test_they_go_with_the_evaluation(run: Evaluation) -> None:
    run.submission.delete()

    assert not Samples.objects.exists()


def test_numbers_that_json_cannot_hold_are_left_out() -> None:
    odd = case("odd", kind="performance", timing_of=timed().cases[-1].timing)
    assert odd.timing is not None
    odd = dataclasses.replace(odd, timing=dataclasses.replace(odd.timing, samples_us=(1.0, float("nan"), float("inf"), 2.0)))

    (found,) = samples_of([odd, CaseResult("untimed", "correctness", True, "")])

    assert found.candidate_us == (1.0, 2.0)
    assert samples.unpack(samples.pack([found])) == (found,)


def test_they_are_small_when_packed() -> None:
    values = tuple(57.0 + number / 1000 for number in range(400))

    assert len(samples.pack([CaseSamples("a", values, values)])) < 5000


def test_what_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_BYTES", 1000)

    with pytest.raises(ValueError, match="more than 1000 bytes"):
        samples.unpack(zlib.compress(b"[" + b" " * 5000 + b"]"))


def test_outcomes_of_before_are_taken_apart_and_put_together_again(run: Evaluation) -> None:
    migration = importlib.import_module("submissions.migrations.0005_raw_samples_and_calibrations")
    whole = to_json(timed())
    Samples.objects.all().delete()
    Evaluation.objects.filter(pk=run.pk).update(outcome=whole)

    migration.move_out(apps, None)

    apart = Evaluation.objects.get(pk=run.pk)
    assert samples.of(apart) == samples_of(timed().cases)
    assert from_json(Outcome, apart.outcome) == samples.without_samples(timed())
    migration.move_in(apps, None)
    assert Evaluation.objects.get(pk=run.pk).outcome == whole

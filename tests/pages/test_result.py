"""The result page, while it runs and when it is done."""

from __future__ import annotations

import dataclasses

from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import State, to_json
from submissions import events
from tests.pages.cast import at_stage, evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.outcomes import accepted, case, wrong_result


def test_a_running_evaluation_shows_what_is_known_so_far(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.TIMING)
    stream = events.evaluation_stream(evaluation.pk)
    events.append(stream, "case", to_json(case("odd")))  # type: ignore[arg-type]
    events.append(stream, "timing", {"case": "128x4096", "quads": 20, "speedup": 1.4, "low": 1.38, "high": 1.42})
    last = events.append(stream, "log", {"text": "hello from the kernel\n"})

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert 'aria-current="step"' in page
    assert "odd" in page
    assert "1.40×" in page
    assert "hello from the kernel" in page
    assert f'data-seq="{last.seq}"' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert "Cancel" not in page


def test_the_queue_position_is_shown(client: Client, alice: User, bob: User) -> None:
    hand_in(bob)
    evaluation = evaluation_of(hand_in(alice))

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "1 ahead of it" in page
    assert "Fair share" in page


def test_an_earlier_attempt_leaves_nothing_on_the_page(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.CHECKING)
    stream = events.evaluation_stream(evaluation.pk)
    events.append(stream, "case", to_json(case("of_the_first_attempt")))  # type: ignore[arg-type]
    events.append(stream, "state", {"state": "waiting", "attempt": 2, "worker": ""})

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "of_the_first_attempt" not in page


def test_accepted_shows_numbers_with_error_bars(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), dataclasses.replace(accepted(1.32), log="warm\n"))

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "Accepted" in page
    assert "95 % interval 1.31× to 1.33×" in page
    assert page.count('class="whisker"') == 2
    assert "chart-distribution" in page
    assert "The same as a table" in page
    assert "data-final" in page
    assert "http-equiv" not in page
    assert 'id="L3"' in page


def test_wrong_shows_the_first_wrong_elements_and_how_to_reproduce(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), wrong_result())

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "Wrong result" in page
    assert "[0, 3]" in page
    assert "0.0078125" in page
    assert "Subtract the maximum first." in page
    assert page.count("python -m evaluator run softmax.py --op softmax --seed 7") == 2
    assert "71" in page and "ulp" in page
    assert "All shown elements" not in page
    assert f"/api/v1/evaluations/{evaluation.pk}/feedback" in page


def test_what_submitted_code_said_is_text(client: Client, alice: User) -> None:
    outcome = dataclasses.replace(wrong_result(), log="<script>alert(1)</script>")
    evaluation = finish(evaluation_of(hand_in(alice, source=b"# </code><img src=x onerror=alert(1)>\n")), outcome)

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "<script>alert" not in page
    assert "<img" not in page


def test_the_fragment_is_the_part_that_changes(client: Client, alice: User) -> None:
    evaluation = evaluation_of(hand_in(alice))

    answer = client.get(f"/s/{evaluation.submission_id}/", headers={"HX-Request": "true"})

    assert "<html" not in answer.content.decode()
    assert 'id="evaluation-body"' in answer.content.decode()
    assert "HX-Request" in answer.headers["Vary"]
    assert "no-store" in answer.headers["Cache-Control"]


def test_an_outcome_of_an_unknown_evaluator_still_has_a_page(client: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), accepted())
    type(evaluation).objects.filter(pk=evaluation.pk).update(outcome={"verdict": "splendid"})

    answer = client.get(f"/s/{evaluation.submission_id}/")

    assert answer.status_code == 200
    assert "Accepted" in answer.content.decode()


def test_cancelling_shows_the_page_again(alice: User) -> None:
    client = signed_in(alice)
    evaluation = evaluation_of(hand_in(alice))

    answer = client.post(f"/evaluations/{evaluation.pk}/cancel/", follow=True)

    assert "Cancelled" in answer.content.decode()

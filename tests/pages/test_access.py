"""Who sees which page: what a reader may not see does not exist."""

from __future__ import annotations

import dataclasses

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import CaseResult, State, Verdict, to_json
from submissions import events
from tests.pages.cast import SOURCE, at_stage, evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.outcomes import accepted, wrong_result


@pytest.mark.parametrize("suffix", ["", "source/"])
def test_a_private_submission_exists_for_its_author_and_staff_alone(
    client: Client, alice: User, bob: User, charlie: User, suffix: str
) -> None:
    path = f"/s/{hand_in(alice, visibility='private').pk}/{suffix}"

    assert client.get(path).status_code == 404
    assert signed_in(bob).get(path).status_code == 404
    assert signed_in(alice).get(path).status_code == 200
    assert signed_in(charlie).get(path).status_code == 200


def test_a_private_submission_is_on_no_list(client: Client, alice: User) -> None:
    submission = hand_in(alice, visibility="private")

    assert submission.pk not in client.get("/").content.decode()


def test_the_source_of_a_result_only_submission_is_its_authors(client: Client, alice: User, as_bob: Client) -> None:
    submission = hand_in(alice, visibility="result", source=(SOURCE + "# a secret trick\n").encode())
    finish(evaluation_of(submission), accepted())

    page = as_bob.get(f"/s/{submission.pk}/")

    assert page.status_code == 200
    assert "a secret trick" not in page.content.decode()
    assert as_bob.get(f"/s/{submission.pk}/source/").status_code == 404
    assert "a secret trick" in signed_in(alice).get(f"/s/{submission.pk}/").content.decode()


def test_another_submissions_evaluation_is_not_shown(client: Client, alice: User) -> None:
    private, public = hand_in(alice, visibility="private"), hand_in(alice)

    assert client.get(f"/s/{public.pk}/?evaluation={evaluation_of(private).pk}").status_code == 404


def test_hidden_cases_show_how_they_ended_and_nothing_of_their_inputs(client: Client, alice: User) -> None:
    submission = hand_in(alice)
    finish(evaluation_of(submission), wrong_result())

    page = client.get(f"/s/{submission.pk}/").content.decode()

    assert page.count("kept secret") == 1


def test_only_the_author_cancels(as_bob: Client, alice: User) -> None:
    evaluation = evaluation_of(hand_in(alice))
    path = f"/evaluations/{evaluation.pk}/cancel/"

    refused = as_bob.post(path)
    signed_in(alice).post(path)

    assert refused.status_code == 404
    evaluation.refresh_from_db()
    assert evaluation.verdict == "cancelled"


def test_the_source_is_plain_text_under_a_safe_name(client: Client, alice: User) -> None:
    submission = hand_in(alice, filename="my kernel.py")

    answer = client.get(f"/s/{submission.pk}/source/")

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'inline; filename="{submission.pk}.py"'
    assert answer.content.decode() == SOURCE


def test_a_traceback_follows_the_source(client: Client, alice: User) -> None:
    case = CaseResult("plain", "correctness", False, "float32[2]", verdict=Verdict.RUNTIME_ERROR, reason="it raised\n  secret_line()")
    outcome = dataclasses.replace(wrong_result(), verdict=Verdict.RUNTIME_ERROR, cases=(case,))
    result_only, public = hand_in(alice, visibility="result"), hand_in(alice)
    for submission in (result_only, public):
        finish(evaluation_of(submission), outcome)

    assert "secret_line" not in client.get(f"/s/{result_only.pk}/").content.decode()
    assert "secret_line" in client.get(f"/s/{public.pk}/").content.decode()


def test_a_hidden_case_stays_hidden_while_it_runs(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.CHECKING)
    failed = CaseResult("h1", "correctness", False, "float32[9, 7]", hidden=True, reason="element [8, 6]", verdict=Verdict.WRONG_RESULT)
    events.append(events.evaluation_stream(evaluation.pk), "case", to_json(failed))  # type: ignore[arg-type]

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "h1" in page
    assert "[8, 6]" not in page
    assert "[9, 7]" not in page

"""Who sees which page: what a reader may not see does not exist."""

from __future__ import annotations

import dataclasses

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import CaseResult, Reason, State, Verdict, to_json
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


def test_what_a_reader_may_see_alone_is_kept_by_nobody_on_the_way(alice: User, as_alice: Client) -> None:
    evaluation = finish(evaluation_of(hand_in(alice, visibility="private")), accepted())
    shown, api = evaluation.submission_id, f"/api/v1/evaluations/{evaluation.pk}"
    paths = [f"/s/{shown}/", f"/s/{shown}/source/", f"/submit/?from={shown}", f"/api/v1/submissions/{shown}", "/api/v1/submissions"]
    paths += [api, f"{api}/log", f"{api}/samples", f"{api}/artefacts", f"{api}/feedback", f"{api}/events"]

    for path in paths:
        answer = as_alice.get(path)
        assert answer.status_code == 200, path
        assert {"private", "no-store"} <= set(answer.headers["Cache-Control"].split(", ")), path
    assert set(as_alice.get("/api/v1/leaderboards/softmax/cpu").headers["Cache-Control"].split(", ")) == {"private", "no-cache"}


def test_an_id_with_a_nul_character_is_nothings(alice: User, charlie: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), accepted())
    staff = signed_in(charlie)

    for path in (
        f"/s/{evaluation.submission_id}/artefacts/x?evaluation=%00",
        f"/s/{evaluation.submission_id}/?evaluation=%00",
        f"/moderation/{evaluation.pk}/?with=%00",
        "/api/v1/evaluations/%00",
        "/api/v1/submissions/%00",
    ):
        assert staff.get(path).status_code == 404, path


ENDINGS = {
    "message": Reason(
        "raised", "the call raised CompilationError: at 3:4:\ndef secret_kernel(x):", "Traceback: secret_kernel", "Look there."
    ),
    "hint": Reason("raised", "it raised", hint="Rename it.\nsecret_kernel"),
    "long": Reason("raised", "it raised " + "y" * 300 + "secret_kernel"),
    "built": Reason("no_entry_point", "there is no function named f; found: secret_kernel", hint="Rename secret_kernel to f."),
    "loaded": Reason("no_entry_point", "no function f; callables found: secret_kernel", hint="Rename one of them, or add the function."),
}


@pytest.mark.parametrize("reason", ENDINGS.values(), ids=ENDINGS)
def test_nothing_that_is_said_of_a_result_quotes_its_source(client: Client, alice: User, reason: Reason) -> None:
    """As rows of older evaluators have it."""
    outcome = dataclasses.replace(wrong_result(), verdict=Verdict.RUNTIME_ERROR, reasons=(wrong_result().reasons[0], reason))
    first = dataclasses.replace(outcome, reasons=(reason,))
    for ended in (outcome, first):
        evaluation = evaluation_of(hand_in(alice, visibility="result"))
        events.append(events.evaluation_stream(evaluation.pk), "note", {"text": "autotune: secret_kernel (line 4)"})
        finish(evaluation, ended)
        api = f"/api/v1/evaluations/{evaluation.pk}"
        paths = (
            f"/s/{evaluation.submission_id}/",
            api,
            f"{api}/events",
            f"{api}/feedback",
            f"/api/v1/submissions/{evaluation.submission_id}",
        )

        assert [path for path in paths if "secret_kernel" in client.get(path).content.decode()] == []
        for path in paths:
            assert "secret_kernel" in signed_in(alice).get(path).content.decode()


def test_a_hidden_case_stays_hidden_while_it_runs(client: Client, alice: User) -> None:
    evaluation = at_stage(evaluation_of(hand_in(alice)), State.CHECKING)
    failed = CaseResult("h1", "correctness", False, "float32[9, 7]", hidden=True, reason="element [8, 6]", verdict=Verdict.WRONG_RESULT)
    events.append(events.evaluation_stream(evaluation.pk), "case", to_json(failed))  # type: ignore[arg-type]

    page = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert "h1" in page
    assert "[8, 6]" not in page
    assert "[9, 7]" not in page

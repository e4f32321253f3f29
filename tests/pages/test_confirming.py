"""What pages say of a lead that is being confirmed, and the button that runs a submission again."""

from __future__ import annotations

import dataclasses

from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import EPOCH, Flag, Outcome, Verdict
from submissions.models import Evaluation, Purpose
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.outcomes import accepted, wrong_result


def audited(speedup: float) -> Outcome:
    outcome = accepted(speedup)
    cases = [dataclasses.replace(c, timing=dataclasses.replace(c.timing, audit_speedup=speedup)) if c.timing else c for c in outcome.cases]
    return dataclasses.replace(outcome, cases=tuple(cases))


def confirming() -> list[Evaluation]:
    return list(Evaluation.objects.filter(purpose=Purpose.CONFIRMING).order_by("queued_at", "pk"))


def text(client: Client, evaluation: Evaluation) -> str:
    return client.get(f"/s/{evaluation.submission_id}/?evaluation={evaluation.pk}").content.decode()


def test_the_result_page_shows_the_confirming_runs_with_links(client: Client, alice: User) -> None:
    first = finish(evaluation_of(hand_in(alice)), audited(1.5))
    finish(confirming()[0], audited(1.48))
    second = confirming()[1]

    page, of_run = text(client, first), text(client, second)

    assert "1 of 3 confirming runs accepted" in page
    assert f"?evaluation={second.pk}" in page
    assert "Confirming run 2 of 3</a>" in page
    assert "This is <strong>confirming run 2 of 3</strong>" in of_run
    assert "This is <strong>" not in page
    assert "provisional until 3 fresh runs of the site confirm it" in page
    board = client.get("/ops/softmax/cpu/").content.decode()
    assert "provisional</a>" in board and "being confirmed" in board


def test_a_confirmed_entry_says_so_and_holds_the_record(client: Client, alice: User) -> None:
    first = finish(evaluation_of(hand_in(alice)), audited(1.8))
    for speedup in (1.5, 1.5, 1.5):
        finish(confirming()[-1], audited(speedup))

    page, board = text(client, first), client.get("/ops/softmax/cpu/").content.decode()

    assert "3 of 3 confirming runs accepted" in page
    assert "on the board of softmax on cpu, confirmed by 3 fresh runs of the site." in page
    assert ">confirmed</a>" in board
    assert '<span class="badge tone-good">stands</span>' in board
    assert f"epoch {EPOCH}</a>" in page


def test_a_run_that_failed_is_named_where_the_reader_sees_it(client: Client, alice: User) -> None:
    first = finish(evaluation_of(hand_in(alice)), audited(1.5))
    finish(confirming()[0], dataclasses.replace(wrong_result(), verdict=Verdict.WRONG_RESULT))

    page, board = text(client, first), client.get("/ops/softmax/cpu/").content.decode()

    assert "The site stopped: a confirming run ended as wrong_result (confirming run 1 of 3)" in page
    assert "not confirmed</a>" in board
    assert "a confirming run ended as wrong_result" in board
    assert '<span class="rank">–</span>' in board


def test_what_could_not_be_confirmed_is_told_as_nobodys_fault(client: Client, alice: User) -> None:
    first = finish(evaluation_of(hand_in(alice)), audited(1.5))
    for _ in range(6):
        finish(confirming()[-1], dataclasses.replace(audited(1.5), flags=(Flag.DISTURBED,)))

    page, board = text(client, first), client.get("/ops/softmax/cpu/").content.decode()

    assert "This source could not be confirmed: 6 runs did not count." in page
    assert page.count("Confirming run that did not count</a>") == 6
    assert "not confirmed</span>" in board
    assert "could not be confirmed: 6 runs did not count" in board
    assert "Nobody stands here" not in board
    row = client.get("/api/v1/leaderboards/softmax/cpu").json()["not_confirmed"][0]
    assert (row["rank"], row["stopped_by"], row["why"]) == (None, None, "could not be confirmed: 6 runs did not count")
    assert "not_confirmed,0," in client.get("/api/v1/leaderboards/softmax/cpu?format=csv").content.decode()


def test_the_sites_own_runs_are_not_listed_as_somebodys_work(alice: User) -> None:
    client = signed_in(alice)
    finish(evaluation_of(hand_in(alice)), audited(1.5))
    run = confirming()[0]

    assert run.pk not in client.get("/").content.decode()
    assert run.pk not in client.get("/me/").content.decode()


def test_the_button_runs_it_again_and_shows_the_new_one(alice: User, bob: User) -> None:
    old = finish(evaluation_of(hand_in(alice)), wrong_result())
    path = f"/evaluations/{old.pk}/rerun/"

    assert path in text(signed_in(alice), old)
    assert path not in text(signed_in(bob), old)
    assert path not in text(Client(), old)
    answer = signed_in(alice).post(path, follow=True)

    new = Evaluation.objects.get(purpose=Purpose.RERUN)
    assert answer.redirect_chain == [(f"/s/{old.submission_id}/?evaluation={new.pk}", 302)]
    assert "Queued" in answer.content.decode()
    assert signed_in(bob).post(path).status_code == 404


def test_a_refused_rerun_shows_the_old_one_with_the_reason(alice: User, settings: LazySettings) -> None:
    old = finish(evaluation_of(hand_in(alice)), wrong_result())
    settings.KB_OPEN_EVALUATIONS = 0

    answer = signed_in(alice).post(f"/evaluations/{old.pk}/rerun/", follow=True)

    assert answer.redirect_chain == [(f"/s/{old.submission_id}/?evaluation={old.pk}", 302)]
    assert "0 may be open at once" in answer.content.decode()

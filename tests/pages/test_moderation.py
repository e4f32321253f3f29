"""The moderation pages: for staff alone; queue, evidence, decision; and what the author reads."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from submissions.decisions.models import Decision
from submissions.models import Evaluation
from tests.pages.cast import evaluation_of, finish, hand_in, person
from tests.pages.conftest import signed_in
from tests.pages.markup import faults
from tests.pages.outcomes import accepted, suspect

REASON = {"kind": "refuse", "reason": "It caches <b>answers</b>.", "every_run": "on"}


@pytest.fixture
def case(alice: User) -> Evaluation:
    return finish(evaluation_of(hand_in(alice)), suspect())


@pytest.fixture
def staff(charlie: User) -> Client:
    return signed_in(charlie)


@pytest.mark.parametrize("path", ["/moderation/", "/moderation/{}/"])
def test_for_others_there_is_no_such_page(client: Client, as_alice: Client, as_bob: Client, case: Evaluation, path: str) -> None:
    path = path.format(case.pk)

    assert [one.get(path).status_code for one in (client, as_alice, as_bob)] == [404, 404, 404]
    assert as_alice.post(path, REASON).status_code in (404, 405)
    assert "/moderation/" not in as_alice.get("/").content.decode()


def test_the_queue_shows_what_waits_and_the_header_how_many(staff: Client, case: Evaluation) -> None:
    page = staff.get("/moderation/").content.decode()

    assert not faults(page)
    assert f"/moderation/{case.pk}/" in page
    assert "clocks_disagree" in page
    assert re.search(r'Moderation <span class="badge tone-warn">1<', staff.get("/").content.decode())


def test_an_empty_queue_says_so(staff: Client) -> None:
    page = staff.get("/moderation/").content.decode()

    assert not faults(page)
    assert "Nothing waits" in page
    assert 'badge tone-warn">0' not in page


def test_the_queue_asks_as_often_for_many_as_for_one(staff: Client, alice: User, case: Evaluation) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert staff.get("/moderation/").status_code == 200
        return len(seen)

    few = queries()
    for number in range(4):
        finish(evaluation_of(hand_in(person(f"author{number}"), source=f"NUMBER = {number}\n".encode())), suspect())

    assert queries() == few <= 6


def test_the_evidence_has_both_figures_reasons_flags_and_cases(staff: Client, case: Evaluation) -> None:
    page = staff.get(f"/moderation/{case.pk}/").content.decode()

    assert not faults(page)
    for word in ("clocks_disagree", "128x4096", "clocks apart", "1.10×", "2.00×", "The two clocks gave different ratios", "def</span>"):
        assert word in page, word


def test_similar_code_is_listed_and_the_difference_shown(staff: Client, alice: User, bob: User, case: Evaluation) -> None:
    source = case.submission.source.replace("dim)", "dim)  # stolen", 1) + "x = 1\n"
    other = hand_in(bob, source=source.encode())
    private = hand_in(bob, op="relu", source=source.encode())

    page = staff.get(f"/moderation/{case.pk}/").content.decode()
    shown = staff.get(f"/moderation/{case.pk}/?with={other.pk}").content.decode()

    assert f"?with={other.pk}#difference" in page
    assert not faults(shown)
    assert 'class="ln removed"' in shown and "x = 1" in shown
    assert staff.get(f"/moderation/{case.pk}/?with={private.pk}").status_code == 404
    assert staff.get(f"/moderation/{case.pk}/?with=nothing").status_code == 404


def test_a_decision_reaches_the_author_and_staff_and_nobody_else(
    staff: Client, client: Client, as_alice: Client, as_bob: Client, case: Evaluation
) -> None:
    path = f"/s/{case.submission_id}/"
    assert "Held for review" in as_alice.get(path).content.decode()

    answer = staff.post(f"/moderation/{case.pk}/", REASON, follow=True)

    assert not faults(answer.content.decode())
    told = as_alice.get(path).content.decode()
    assert "It caches &lt;b&gt;answers&lt;/b&gt;." in told and "charlie" in told
    assert not faults(told)
    for other in (client, as_bob):
        page = other.get(path).content.decode()
        assert "Rejected" in page and "caches" not in page and "charlie" not in page
    assert as_alice.get(f"/api/v1/evaluations/{case.pk}").json()["decision"]["reason"] == REASON["reason"]
    assert as_bob.get(f"/api/v1/evaluations/{case.pk}").json()["decision"] is None
    feedback = f"/api/v1/evaluations/{case.pk}/feedback"
    assert "on cpu: rejected" in as_bob.get(feedback).content.decode()
    assert [REASON["reason"] in one.get(feedback).content.decode() for one in (as_alice, as_bob)] == [True, False]


def test_accepted_it_stands_on_the_board_and_withdrawn_it_leaves(staff: Client, client: Client, case: Evaluation) -> None:
    assert "alice" not in client.get("/ops/softmax/cpu/").content.decode()

    staff.post(f"/moderation/{case.pk}/", {"kind": "accept", "reason": "explained"})
    assert "alice" in client.get("/ops/softmax/cpu/").content.decode()
    decision = Decision.objects.get()
    page = staff.post(f"/moderation/decisions/{decision.pk}/withdraw/", {"reason": "not quite"}, follow=True).content.decode()

    assert "alice" not in client.get("/ops/softmax/cpu/").content.decode()
    assert "not quite" in page
    assert "not quite" in staff.get("/moderation/").content.decode() or "withdrawn by charlie" in staff.get("/moderation/").content.decode()


@pytest.mark.parametrize("wrong", [{"reason": ""}, {"reason": "   "}, {"kind": ""}, {"kind": "praise"}, {"reason": "x" * 3000}])
def test_a_wrong_form_decides_nothing(staff: Client, case: Evaluation, wrong: dict[str, str]) -> None:
    answer = staff.post(f"/moderation/{case.pk}/", REASON | wrong)

    assert answer.status_code == 422
    assert not faults(answer.content.decode())
    assert not Decision.objects.exists()


def test_withdrawing_needs_a_reason_too(staff: Client, case: Evaluation) -> None:
    staff.post(f"/moderation/{case.pk}/", REASON)

    page = staff.post(f"/moderation/decisions/{Decision.objects.get().pk}/withdraw/", {"reason": ""}, follow=True).content.decode()

    assert "Say why" in page
    assert Decision.objects.get().stands


def test_from_the_result_page_of_an_accepted_one_staff_reach_the_decision(staff: Client, as_alice: Client, alice: User) -> None:
    done = finish(evaluation_of(hand_in(alice)), accepted(1.4))

    assert f"/moderation/{done.pk}/" in staff.get(f"/s/{done.submission_id}/").content.decode()
    assert f"/moderation/{done.pk}/" not in as_alice.get(f"/s/{done.submission_id}/").content.decode()
    page = staff.get(f"/moderation/{done.pk}/").content.decode()
    assert not faults(page)
    assert 'value="refuse"' in page and 'value="accept"' not in page


def test_hidden_it_exists_no_more_for_others_and_its_author_reads_why(
    staff: Client, client: Client, as_alice: Client, case: Evaluation
) -> None:
    staff.post(f"/moderation/{case.pk}/", {"kind": "hide", "reason": "names a person"})

    assert client.get(f"/s/{case.submission_id}/").status_code == 404
    assert "names a person" in as_alice.get(f"/s/{case.submission_id}/").content.decode()
    page = staff.get(f"/moderation/{case.pk}/").content.decode()
    assert not faults(page)
    assert "Withdraw the decision" in page


def test_what_is_not_done_has_no_evidence(staff: Client, alice: User) -> None:
    assert staff.get(f"/moderation/{evaluation_of(hand_in(alice)).pk}/").status_code == 404

"""`/compare/` and its API twin."""

from __future__ import annotations

import dataclasses

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from submissions.models import Evaluation
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.markup import faults
from tests.pages.outcomes import accepted, wrong_result

SOURCE = "def softmax_kernel_impl(x, dim):\n    return {}\n"


def kernel(author: User, speedup: float, returns: str = "x", **fields: object) -> Evaluation:
    return finish(evaluation_of(hand_in(author, source=SOURCE.format(returns).encode(), **fields)), accepted(speedup))


def test_two_are_compared_case_by_case_with_their_sources(client: Client, alice: User, bob: User) -> None:
    slow, fast = kernel(alice, 1.2, "x.softmax(dim)"), kernel(bob, 2.4, "<b>fast</b>")

    page = client.get(f"/compare/?ids={slow.pk},{fast.pk}").content.decode()

    assert not faults(page)
    assert "2 faster, 0 tied, 0 slower of 2 cases" in page
    assert "2.00×" in page
    assert "return x.softmax(dim)" in page
    assert "&lt;b&gt;fast&lt;/b&gt;" in page
    assert "<b>fast" not in page


def test_one_more_is_added_to_what_is_compared(client: Client, alice: User, bob: User) -> None:
    ids = [finish(evaluation_of(hand_in(author)), accepted(speedup)).pk for author, speedup in ((alice, 1.2), (bob, 1.4), (alice, 1.3))]

    page = client.get(f"/compare/?ids={ids[0]},{ids[1]}").content.decode()

    for pk in ids[:2]:
        assert f'<input type="hidden" name="ids" value="{pk}">' in page
    assert '<input id="one-more" name="ids"' in page
    assert client.get(f"/compare/?ids={ids[0]}&ids={ids[1]}&ids=/s/x/%3Fevaluation={ids[2]}").status_code == 200
    for path in ("/feed/", "/ops/softmax/cpu/"):
        assert 'href="/compare/"' in client.get(path).content.decode()


def test_ticked_rows_of_a_board_come_as_several_ids(client: Client, alice: User) -> None:
    one, other = kernel(alice, 1.2), kernel(alice, 1.2, "-x")

    page = client.get("/compare/", {"ids": [one.pk, other.pk]}).content.decode()

    assert "0 faster, 2 tied, 0 slower of 2 cases" in page


def test_a_banner_stands_in_place_of_a_verdict(client: Client, alice: User) -> None:
    one, other = kernel(alice, 1.2), kernel(alice, 3.0, "-x")
    Evaluation.objects.filter(pk=other.pk).update(outcome={**other.outcome, "environment": {"torch": "9.9"}})

    page = client.get(f"/compare/?ids={one.pk},{other.pk}").content.decode()

    assert "No verdict." in page
    assert "torch: 2.13.0+cpu and 9.9" in page
    assert ">faster<" not in page


def test_a_locked_source_is_not_shown(client: Client, as_bob: Client, alice: User, bob: User) -> None:
    ids = f"{kernel(alice, 1.2).pk},{kernel(bob, 1.3, 'secret(x)', visibility='result').pk}"

    assert "secret(x)" not in client.get(f"/compare/?ids={ids}").content.decode()
    assert "secret(x)" in as_bob.get(f"/compare/?ids={ids}").content.decode()


def test_one_that_failed_has_no_times(client: Client, alice: User) -> None:
    one, failed = kernel(alice, 1.2), finish(evaluation_of(hand_in(alice, kernel_type="triton")), wrong_result())

    page = client.get(f"/compare/?ids={failed.pk},{one.pk}").content.decode()

    assert "The first has no times" in page
    assert not faults(page)


def test_wrong_ids_get_the_form_and_what_is_wrong(client: Client, alice: User) -> None:
    one = kernel(alice, 1.2)
    form = client.get("/compare/")
    wrong = client.get(f"/compare/?ids={one.pk},nothing")

    assert (form.status_code, wrong.status_code) == (200, 400)
    assert "There is no evaluation &#x27;nothing&#x27;" in wrong.content.decode()
    assert f'value="{one.pk}, nothing"' in wrong.content.decode()
    assert not faults(form.content.decode()) + faults(wrong.content.decode())


def test_the_api_says_the_same(client: Client, alice: User) -> None:
    one, fast = kernel(alice, 1.2), kernel(alice, 2.4, "-x")

    answer = client.get(f"/api/v1/compare?ids={one.pk},{fast.pk}").json()
    (pair,) = answer["pairs"]

    assert (answer["base"]["evaluation"], pair["evaluation"], pair["verdict"]) == (one.pk, fast.pk, "faster")
    assert [case["verdict"] for case in pair["cases"]] == ["faster", "faster"]
    assert pair["overall"]["low"] < pair["overall"]["ratio"] < pair["overall"]["high"]


def test_the_api_names_the_field_that_is_wrong(client: Client, alice: User) -> None:
    answer = client.get(f"/api/v1/compare?ids={kernel(alice, 1.2).pk}")

    assert answer.status_code == 400
    assert "2 to 6" in answer.json()["errors"]["ids"][0]


def test_six_take_as_many_queries_as_two(client: Client, alice: User) -> None:
    ids = [kernel(alice, 1.1 + n / 10, f"x + {n}").pk for n in range(6)]

    asked = []
    for some in (ids[:2], ids):
        with CaptureQueriesContext(connection) as seen:
            assert client.get(f"/compare/?ids={','.join(some)}").status_code == 200
        asked.append(len(seen))

    assert asked[0] == asked[1] <= 2


def test_hidden_cases_keep_their_inputs(client: Client, alice: User) -> None:
    outcome = accepted(1.2)
    hidden = dataclasses.replace(
        outcome, cases=tuple(dataclasses.replace(case, hidden=True, inputs="float32[31]") for case in outcome.cases)
    )
    ids = [finish(evaluation_of(hand_in(alice, source=SOURCE.format(n).encode())), hidden).pk for n in range(2)]

    page = client.get(f"/compare/?ids={','.join(ids)}").content.decode()

    assert "float32[31]" not in page
    assert "2 tied" in page

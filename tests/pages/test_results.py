"""`/results/`: a suite on a device as people see it."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import KernelType
from leaderboard.models import Op
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.markup import faults
from tests.pages.outcomes import accepted, wrong_result

SMALL = "/results/?suite=small&device=cpu"


@pytest.fixture(autouse=True)
def _small_suite(db: None) -> None:
    """Four ops of the catalogue, in a suite of their own."""
    Op.objects.exclude(pk__in=["softmax", "relu", "add", "mm"]).update(active=False)
    Op.objects.update(suites=["small"])


def cells(page: str, row: str) -> list[str]:
    """The text of the cells of the first table row whose header is `row`, one space for any run of whitespace."""
    for found in re.findall(r"<tr.*?</tr>", page, flags=re.DOTALL):
        if re.search(rf'<th scope="row">(<[^>]*>)*{re.escape(row)}<', found):
            return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<td.*?</td>", found, flags=re.DOTALL)]
    raise AssertionError(f"no row {row}")


def test_a_row_per_author_with_all_figures(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.6))
    finish(evaluation_of(hand_in(alice, op="relu")), wrong_result())
    finish(evaluation_of(hand_in(bob)), accepted(0.9))

    page = client.get(SMALL).content.decode()

    assert cells(page, "alice") == [
        "2 / 4", "25.0 % 50.0 %", "0.750 0.375", "25.0 % 50.0 %", "25.0 % 50.0 %", "25.0 % 50.0 %", "0 % 0 %", "1.60× 1 op", "2",
    ]  # fmt: skip
    assert cells(page, "bob")[0:2] == ["1 / 4", "25.0 % 100 %"]
    assert page.index(">alice</a>") < page.index(">bob</a>") < page.index(">best of everybody<")
    assert cells(page, "best of everybody")[-1] == "3"


def test_op_by_op_shows_the_best_of_everybody_until_an_author_is_chosen(client: Client, alice: User, bob: User) -> None:
    fastest = finish(evaluation_of(hand_in(alice)), accepted(1.6))
    slower = finish(evaluation_of(hand_in(bob, agent="an agent")), accepted(0.9))
    finish(evaluation_of(hand_in(bob, op="relu")), wrong_result())

    everybody = client.get(SMALL).content.decode()
    bobs = client.get(f"{SMALL}&author=bob").content.decode()

    assert cells(everybody, "softmax") == ["Accepted", "1.000", "1.60× ± 1.0 %", "1.5×", "alice", "2", "result"]
    assert f"/s/{fastest.submission_id}/?evaluation={fastest.pk}" in everybody
    assert cells(bobs, "softmax") == ["Accepted", "1.000", "0.900× ± 1.0 %", "0.8×", "1", "result"]
    assert f"/s/{slower.submission_id}/?evaluation={slower.pk}" in bobs
    assert cells(bobs, "relu") == ["Wrong result", "0.500", "–", "–", "1", "result"]
    assert cells(bobs, "mm")[0] == "not attempted"
    assert '<input type="hidden" name="author" value="bob">' in bobs
    assert not faults(bobs)


def test_a_row_per_agent_label(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice, agent="R&D <bot>")), accepted(1.6))
    finish(evaluation_of(hand_in(alice, op="relu")), accepted(1.1))

    page = client.get(f"{SMALL}&by=agent").content.decode()
    chosen = client.get(f"{SMALL}&by=agent&agent=R%26D+%3Cbot%3E").content.decode()

    assert "agent=R%26D%20%3Cbot%3E#op-by-op" in page
    assert "op by op" not in page
    assert cells(page, "no label")[0] == "1 / 4"
    assert "R&amp;D &lt;bot&gt;, op by op" in chosen
    assert cells(chosen, "softmax")[2] == "1.60× ± 1.0 %"
    assert not faults(chosen)


def test_what_was_interpreted_stands_apart_and_says_so(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice, kernel_type="triton")), accepted(0.01, interpreted=True, kernel_type=KernelType.TRITON))

    page = client.get(f"{SMALL}&author=alice").content.decode()

    assert page.index('id="interpreted-head"') < page.index(">alice</a>")
    assert "the speed says nothing about a GPU" in page
    assert cells(page, "softmax")[0] == "Accepted"
    assert "best of everybody" not in page


def test_private_submissions_are_seen_by_their_author_alone(client: Client, as_alice: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice, visibility="private")), accepted(1.6))

    assert cells(as_alice.get(SMALL).content.decode(), "alice")[:2] == ["1 / 4", "25.0 % 100 %"]
    page = client.get(f"{SMALL}&author=alice").content.decode()
    assert "Nobody has attempted" in page
    assert "Nothing by alice counts here" in page


def test_fast_p_is_drawn_for_each_and_for_all_together(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.6))
    finish(evaluation_of(hand_in(bob)), accepted(0.9))

    page = client.get(SMALL).content.decode()

    assert page.count('class="chart-curve-') == 3
    assert cells(page[page.index('id="fast-p-head"') :], "best of everybody")[:4] == ["25.0 %", "25.0 %", "25.0 %", "25.0 %"]
    assert 'class="chart-curve-' not in client.get(f"{SMALL}&device=h100").content.decode()


def test_ops_that_nobody_attempted_are_listed_only_when_asked_for(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.6))

    short, whole = (client.get(SMALL + more).content.decode() for more in ("", "&all=1"))

    assert "not attempted" not in short and "&amp;all=1#op-by-op" in short
    assert whole.count("not attempted") == 3 and "&amp;all=1#op-by-op" not in whole


def test_every_heading_says_what_it_means(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.6))

    page = client.get(SMALL).content.decode()

    table = page[page.index("<thead>") : page.index("</thead>")]
    assert table.count("title=") == 9
    assert all(f">{name}</th>" in table for name in ("fast_0.8", "fast_1", "fast_1.5", "fast_2", "correctness_score"))
    assert '<dt class="mono">fast_p</dt>' in page


def test_without_parameters_it_chooses_the_busiest_device(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice, device="h100")), accepted())

    page = client.get("/results/").content.decode()

    assert '<option value="h100" selected>' in page
    assert "/api/v1/results?suite=small&amp;device=h100&amp;by=author&amp;format=csv" in page


@pytest.mark.parametrize("query", ["suite=nothing", "device=nothing", "suite=small&device=%00x"])
def test_a_suite_or_device_that_does_not_exist_is_404(client: Client, query: str) -> None:
    assert client.get(f"/results/?{query}").status_code == 404


def test_a_catalogue_without_suites_is_said(client: Client) -> None:
    Op.objects.update(active=False)

    page = client.get("/results/").content.decode()

    assert "No suite has an op here yet" in page
    assert not faults(page)


def test_the_list_of_ops_leads_here(client: Client) -> None:
    assert 'href="/results/?suite=small"' in client.get("/ops/?suite=small").content.decode()
    assert 'href="/results/"' in client.get("/ops/?suite=nothing").content.decode()

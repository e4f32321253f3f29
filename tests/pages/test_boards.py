"""Boards, ops and home as people see them."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import KernelType
from leaderboard.pages import board
from tests.leaderboard.conftest import confirm, finish_evaluation
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.markup import Markup
from tests.pages.outcomes import accepted


def test_rows_stand_in_order_with_ties_and_the_baseline(client: Client, alice: User, bob: User, charlie: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.32))
    finish(evaluation_of(hand_in(bob)), accepted(1.318))
    finish(evaluation_of(hand_in(charlie)), accepted(1.05))

    page = client.get("/ops/softmax/cpu/").content.decode()

    order = [page.index(f">{name}</a>") for name in ("alice", "bob", "charlie")]
    assert order == sorted(order)
    assert page.count("tied, 2") == 2
    assert '<span class="rank">3</span>' in page
    assert "torch_eager" in page


def test_interpreted_entries_stand_apart_and_say_so(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice, kernel_type="triton")), accepted(0.01, interpreted=True, kernel_type=KernelType.TRITON))

    page = client.get("/ops/softmax/cpu/").content.decode()

    assert "the speed says nothing about a GPU" in page
    assert page.index('id="interpreted-head"') < page.index(">alice</a>")


def test_the_fragment_holds_the_rows_alone(client: Client, alice: User) -> None:
    entry = finish(evaluation_of(hand_in(alice)), accepted())

    fragment = client.get("/ops/softmax/cpu/", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in fragment
    assert entry.submission_id in fragment


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_device_that_is_none_has_no_board(client: Client, headers: dict[str, str]) -> None:
    assert client.get("/ops/softmax/abacus/", headers=headers).status_code == 404


def test_a_filter_keeps_ranks(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(2.0))
    finish(evaluation_of(hand_in(bob, agent="an agent")), accepted(1.2))

    page = client.get("/ops/softmax/cpu/?author=bot").content.decode()

    assert ">alice</a>" not in page
    assert '<span class="rank">2</span>' in page


def test_a_board_is_filtered_by_agent_label_and_its_exports_too(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(2.0))
    finish(evaluation_of(hand_in(bob, agent="an agent")), accepted(1.2))

    page = client.get("/ops/softmax/cpu/?agent=an+agent").content.decode()
    exports = [link for link in Markup(page).links if link.startswith("/api/v1/leaderboards/")]

    assert ">alice</a>" not in page
    assert '<span class="rank">2</span>' in page
    assert "<option selected>an agent</option>" in page
    assert len(exports) == 2
    for link in exports:
        text = client.get(link).content.decode()
        assert "bob" in text and "alice" not in text


def test_an_op_page_is_a_contract(client: Client) -> None:
    page = client.get("/ops/softmax/?device=h100").content.decode()

    assert "softmax(Tensor self, int dim) -&gt; Tensor" in page
    assert "softmax_kernel_impl" in page
    assert "float32[4096, 4096], -1" in page
    assert "134 MB" in page
    assert "1.0e-05" in page


def test_a_starter_is_a_download(client: Client) -> None:
    answer = client.get("/ops/softmax/starters/triton.py")

    assert answer.headers["Content-Disposition"] == 'attachment; filename="softmax_triton.py"'
    assert "softmax_kernel_impl" in answer.content.decode()
    assert client.get("/ops/softmax/starters/cobol.py").status_code == 404


def test_search_finds_by_signature_and_tag(client: Client) -> None:
    page = client.get("/ops/?q=softmax").content.decode()

    assert 'id="op-softmax"' in page
    assert 'id="op-relu"' not in page
    assert client.get("/ops/?q=%00").status_code == 200


def test_filters_keep_each_other_and_the_exports_have_them_too(as_alice: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(2.0))

    page = as_alice.get("/ops/softmax/cpu/?kernel_type=torch&author=human&mine=1&baselines=false").content.decode()
    links = Markup(page).links

    assert "/ops/softmax/h100/?kernel_type=torch&mine=1&author=human&baselines=false" in links
    json = next(link for link in links if link.startswith("/api/v1/leaderboards/") and "csv" not in link)
    shown = as_alice.get(json).json()
    assert [row["author"] for row in shown["rows"]] == ["alice"]
    assert shown["baselines"] == []
    csv = next(link for link in links if "format=csv" in link)
    assert "author_kind=human" in csv
    assert as_alice.get(csv).content.decode().count("\n") == 2
    assert "/ops/softmax/cpu/feed.atom" in links


def test_rows_can_be_ticked_and_compared_without_scripts(client: Client, alice: User, bob: User) -> None:
    entries = [finish(evaluation_of(hand_in(user)), accepted(2.0)) for user in (alice, bob)]
    page = Markup(client.get("/ops/softmax/cpu/").content.decode())

    ticks = [control for control in page.controls if control.get("name") == "ids"]

    assert {tick["value"] for tick in ticks} == {entry.pk for entry in entries}
    assert {tick["form"] for tick in ticks} == {"compare-form"}
    assert "compare-form" in page.ids


def test_the_history_says_who_held_the_record_and_how_long(client: Client, alice: User, bob: User) -> None:
    for user, speedup in ((alice, 1.5), (bob, 3.0)):
        finish_evaluation(user, speedup)
        confirm(speedup, speedup, speedup)

    fragment = client.get("/ops/softmax/cpu/", headers={"HX-Request": "true"}).content.decode()
    history = fragment[fragment.index('id="history-head"') :]

    assert "2 records, from 1.50× to 3.00×; now 3.00× by bob." in history
    assert history.index('href="/u/bob/"') < history.index('href="/u/alice/"')
    assert "2.00×" in history
    assert history.count(" UTC</time>") == 3, "two beginnings and an end"
    assert "beaten" in history


def test_a_board_with_nothing_on_it_has_its_filters_and_exports_already(client: Client) -> None:
    page = client.get("/ops/softmax/cpu/").content.decode()

    assert 'aria-label="Filter the board"' in page
    assert "<option>triton</option>" in page
    assert "format=csv" in page and "feed.atom" in page


def test_the_first_rows_and_ones_own_are_shown_until_all_are_asked_for(
    client: Client, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for author, speedup in ((bob, 2.0), (charlie, 1.5), (alice, 1.1)):
        finish(evaluation_of(hand_in(author)), accepted(speedup))
    monkeypatch.setattr(board, "FIRST", 1)

    def names(reader: Client, query: str = "") -> list[str]:
        rows = reader.get(f"/ops/softmax/cpu/{query}", headers={"HX-Request": "true"}).content.decode()
        return re.findall(r'<th scope="row"><a href="/u/(\w+)/', rows)

    assert names(client) == ["bob"]
    assert names(signed_in(alice)) == ["bob", "alice"]
    assert names(client, "?all=1") == ["bob", "charlie", "alice"]
    page = client.get("/ops/softmax/cpu/?kernel_type=torch").content.decode()
    assert "2 more stand below" in page
    assert "?kernel_type=torch&amp;all=1" in page


def test_the_columns_of_a_board_are_explained(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.3))

    page = client.get("/ops/softmax/cpu/").content.decode()

    headings = set(re.findall(r'<th scope="col"[^>]*>([^<]+)</th>', page[: page.index("</table>")]))
    explained = set(re.findall(r'<dt class="mono">([^<]+)</dt>', page))
    assert headings - explained == {"author", "kernel"}
    assert 'href="/rules/#records"' in page

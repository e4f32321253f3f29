"""Baselines on the board's page: among the entries by speedup, marked, and out of the way when nobody wants them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client

from evaluator.baselines.figures import Clock, unavailable
from leaderboard.baselines import store
from tests.leaderboard.test_baselines import HERE, measured, worker
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.outcomes import accepted

BOARD = "/ops/softmax/cpu/"


def order(page: str) -> list[str]:
    """Authors and baselines in the order of the table."""
    heads = [part.partition("</th>")[0] for part in page.split('<th scope="row">')[1:]]
    return [head.partition("</a>")[0].rpartition(">")[2] for head in heads]


def test_baselines_stand_among_the_entries_by_speedup_without_a_rank(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.5))
    finish(evaluation_of(hand_in(bob)), accepted(0.8))
    store(measured(speedup=1.2))
    store(measured("tvm", 3.0))
    store(measured("xla", None))

    page = client.get(BOARD).content.decode()

    assert order(page) == ["tvm", "alice", "torch_compile", "torch_eager", "bob", "xla"]
    assert page.count('class="rank"') == 2
    assert page.count(">own clock</span>") == 2
    assert page.count(">baseline</span>") == 4


def test_an_equally_fast_entry_stands_above_the_baseline(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.2))
    store(measured(speedup=1.2))

    assert order(client.get(BOARD).content.decode())[:2] == ["alice", "torch_compile"]


def test_a_board_without_entries_shows_what_was_measured(client: Client) -> None:
    store(measured())
    store(unavailable("softmax", "cpu", "tvm", Clock.OWN, "TVM_BENCH_CMD is not <set>\nhidden words", environment=HERE))

    page = client.get(BOARD).content.decode()

    assert order(page) == ["torch_compile"]
    assert "Nobody stands here yet" in page
    assert "1 baseline unavailable" in page
    assert "unavailable: TVM_BENCH_CMD is not &lt;set&gt;" in page
    assert "hidden words" not in page


def test_a_stale_row_says_what_has_changed(client: Client) -> None:
    store(measured())
    worker(HERE | {"torch": "2.14.0"})

    page = client.get(BOARD).content.decode()

    assert ">stale</span>" in page
    assert "torch 2.13.0 → 2.14.0" in page


def test_a_filter_hides_them_and_nothing_else(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.5))
    store(measured())

    page = client.get(f"{BOARD}?baselines=false").content.decode()

    assert order(page) == ["alice"]
    assert '<option value="false" selected>hidden</option>' in page
    assert "The filter hides" not in page


def test_filters_of_entries_leave_baselines(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.5))
    store(measured())

    page = client.get(f"{BOARD}?author=bot").content.decode()

    assert order(page) == ["torch_compile", "torch_eager"]
    assert "The filter hides every entry" in page

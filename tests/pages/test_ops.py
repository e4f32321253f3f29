"""`/ops/` and `/`: searching the catalogue, pages of it, and what moved last."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluator.contract import KernelType
from leaderboard.models import Op
from leaderboard.shelf import PAGE, choices, lately_moved, open_ops
from tests.leaderboard.conftest import confirm, finish_evaluation
from tests.pages.markup import faults

SMOKE = 12


def listed(client: Client, query: str = "") -> list[str]:
    page = client.get(f"/ops/?{query}").content.decode()
    assert not faults(page)
    return re.findall(r'<tr id="op-([^"]+)"', page)


def many(number: int) -> None:
    """That many ops more, as an import makes them."""
    Op.objects.bulk_create(
        Op(slug=f"made/op_{n:03}", title=f"Made {n}", signature="f(x)", precision="fp32", suites=["made"], position=1000 + n, definition={})
        for n in range(number)
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=softmax", {"softmax"}),
        ("board=taken", {"softmax", "relu"}),
        ("board=taken&device=h100", {"relu"}),
        ("board=taken&device=h100&kernel_type=triton", {"relu"}),
        ("kernel_type=torch", {"softmax"}),
        ("kernel_type=torch&q=relu", set()),
        ("suite=nothing", set()),
        ("dtype=nothing", set()),
    ],
)
def test_filters_narrow_the_list_together(client: Client, alice: User, query: str, found: set[str]) -> None:
    finish_evaluation(alice)
    finish_evaluation(alice, op="relu", device="h100", kernel_type=KernelType.TRITON)

    assert set(listed(client, query)) == found


def test_open_and_taken_are_all_there_is(client: Client, alice: User) -> None:
    finish_evaluation(alice)

    assert len(listed(client, "board=open")) == SMOKE - 1
    assert len(listed(client, "board=open&device=h100")) == SMOKE
    assert len(listed(client, "board=nonsense&kernel_type=nonsense")) == SMOKE
    assert open_ops() == (SMOKE - 1, SMOKE)


def test_the_op_of_that_name_comes_first(client: Client) -> None:
    for number, slug in enumerate(("a_relu", "relu_b", "made/relu_c", "other")):
        Op.objects.create(slug=slug, title="t", summary="relu", signature="f(x)", precision="fp32", position=number, definition={})

    assert listed(client, "q=relu")[:5] == ["relu", "relu_b", "made/relu_c", "a_relu", "other"]


def test_every_choice_finds_something(client: Client) -> None:
    offered = choices()

    assert "float32" in offered.dtypes
    assert all(listed(client, f"dtype={dtype}") for dtype in offered.dtypes)
    assert all(listed(client, f"tag={tag}") for tag in offered.tags)


def test_hundreds_of_ops_come_in_pages_that_keep_the_filters(client: Client) -> None:
    many(600)

    first, last = listed(client, "suite=made"), listed(client, "suite=made&page=12")
    page = client.get("/ops/?suite=made&page=2").content.decode()

    assert (len(first), first[0], last[-1]) == (PAGE, "made/op_000", "made/op_599")
    assert "51–100 of 600 ops" in page
    assert 'rel="next" href="?suite=made&amp;page=3"' in page
    assert listed(client, "suite=made&page=nonsense") == first


def test_the_catalogue_asks_as_often_for_many_as_for_few(client: Client, alice: User) -> None:
    finish_evaluation(alice)
    asked = {}
    for path in ("/ops/", "/"):
        with CaptureQueriesContext(connection) as few:
            client.get(path)
        asked[path] = len(few)
    many(300)
    finish_evaluation(alice, op="made/op_001")

    for path, before in asked.items():
        with CaptureQueriesContext(connection) as seen:
            client.get(path)
        assert len(seen) <= before <= 16


def test_the_list_alone_is_for_scripts(client: Client) -> None:
    fragment = client.get("/ops/?q=softmax", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in fragment
    assert 'id="op-softmax"' in fragment
    assert 'id="op-relu"' not in fragment


def test_home_shows_where_something_moved_first_and_the_last_records(client: Client, alice: User, bob: User) -> None:
    finish_evaluation(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish_evaluation(bob, 3.0, op="relu")

    page = client.get("/").content.decode()

    assert [summary.op.slug for summary in lately_moved(2)] == ["relu", "softmax"]
    assert len(lately_moved(5)) == 5
    assert re.search(r'id="record-\w+"><a href="/ops/softmax/cpu/#history">', page)
    assert f"{SMOKE - 2} with nobody on a board" in page
    assert not faults(page)

"""Boards, ops and home as people see them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import KernelType
from tests.pages.cast import evaluation_of, finish, hand_in
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


def test_a_filter_keeps_ranks(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(2.0))
    finish(evaluation_of(hand_in(bob, agent="an agent")), accepted(1.2))

    page = client.get("/ops/softmax/cpu/?author=bot").content.decode()

    assert ">alice</a>" not in page
    assert '<span class="rank">2</span>' in page


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

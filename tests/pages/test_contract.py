"""`/ops/<slug>/`: all that a kernel's author needs to know."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.test import Client

from leaderboard.models import Op
from tests.pages.cast import evaluation_of, finish, hand_in, worker
from tests.pages.outcomes import accepted


def page(client: Client, path: str) -> str:
    return re.sub(r"\s+", " ", client.get(path).content.decode())


def test_the_contract_says_what_to_write_and_what_is_right(client: Client) -> None:
    text = page(client, "/ops/softmax/")

    assert "softmax_kernel_impl" in text
    assert "3 × torch's own" in text
    assert "outputs share no memory with inputs" in text
    assert 'href="/rules/"' in text
    assert 'href="/docs/judging/#what-is-right"' in text
    assert 'href="/ops/softmax/starters/triton.py" download' in text


def test_cases_show_the_speed_of_light_where_it_is_known(client: Client) -> None:
    on_gpu, on_cpu = page(client, "/ops/softmax/?device=h100"), page(client, "/ops/softmax/?device=cpu")
    (case,) = (case for case in Op.objects.get(pk="softmax").definition["cases"]["h100"] if case["name"] == "4096x4096")

    assert case["bound"] == "bytes"
    assert 20 < case["limit_us"] < 40
    assert f'{case["limit_us"]:.1f} µs<span class="sub">bytes</span>' in on_gpu
    assert "speed of light" not in on_cpu.partition("<footer")[0].partition("Cases on cpu")[2].partition("Reference")[0].lower()


def test_the_cases_of_a_device_that_is_judged_on_are_shown_first_and_of_these_a_gpus(client: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.3))
    assert "Cases on cpu" in page(client, "/ops/softmax/")

    worker("h100")
    assert "Cases on h100" in page(client, "/ops/softmax/")
    worker("cpu")
    assert "Cases on h100" in page(client, "/ops/softmax/")


def test_boards_show_who_leads_with_time_and_entries(client: Client, alice: User, bob: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.5))
    finish(evaluation_of(hand_in(bob)), accepted(1.2))

    text = page(client, "/ops/softmax/").partition("<h2>Boards</h2>")[2]

    assert "<strong>1.50×</strong> 900 µs" in text
    assert "alice, 2 entries" in text


def test_ones_own_evaluations_stand_on_the_page(client: Client, as_alice: Client, alice: User, bob: User) -> None:
    mine = evaluation_of(hand_in(alice, visibility="private"))
    theirs = evaluation_of(hand_in(bob))

    own, visitor = page(as_alice, "/ops/softmax/"), page(client, "/ops/softmax/")

    assert f"?evaluation={mine.pk}" in own
    assert f"?evaluation={theirs.pk}" not in own
    assert mine.pk not in visitor
    assert "<h2>Yours</h2>" not in visitor

"""Code that looks alike is found, however hostile the text."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from django.contrib.auth.models import User

from leaderboard.similar import MAX_CHARS, RECENT, overlap, shingles, similar_to
from tests.leaderboard.conftest import unfinished

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + offsets, mask=offsets < n, other=-float("inf"))
    z = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n + offsets, z / tl.sum(z, axis=0), mask=offsets < n)
"""


def test_copies_and_relatives_are_found_and_strangers_are_not(loaded: None, alice: User, bob: User) -> None:
    own = unfinished(alice, source=KERNEL).submission
    copy = unfinished(bob, source=KERNEL).submission
    renamed = unfinished(bob, source=KERNEL.replace("offsets", "cols").replace("# x", "")).submission
    commented = unfinished(bob, source="# mine\n" + KERNEL).submission
    twice = unfinished(bob, source="# mine\n" + KERNEL).submission
    unfinished(bob, source="import torch\n\ndef softmax_kernel_impl(x, dim):\n    return torch.softmax(x, dim)\n")
    unfinished(bob, op="relu", source=KERNEL)

    found = similar_to(own)

    assert [(one.submission.pk, one.same, one.copies) for one in found] == [
        (copy.pk, True, 1),
        (twice.pk, False, 2),
        (renamed.pk, False, 1),
    ]
    assert found[1].share == 1.0 > found[2].share > 0.25
    assert commented.pk not in {one.submission.pk for one in found}


def test_it_is_two_queries_and_bounded(loaded: None, alice: User, django_assert_num_queries: Any) -> None:
    own = unfinished(alice, source=KERNEL).submission
    for number in range(4):
        unfinished(alice, source=KERNEL + f"# {number}\nx = {number}\n")

    with django_assert_num_queries(2):
        assert 0 < len(similar_to(own)) < RECENT


@pytest.mark.parametrize("kind", ["shuffled", "repeated", "one line"])
def test_hostile_text_takes_no_time(kind: str) -> None:
    chance = random.Random(3)
    lines = [f"x = {number % 97}" for number in range(20_000)]
    texts = {"one line": "x" * 1_000_000, "repeated": "\n".join(["same"] * 20_000), "shuffled": ""}
    other = "\n".join(chance.sample(lines, len(lines)))
    this = texts[kind] or "\n".join(chance.sample(lines, len(lines)))
    started = time.monotonic()

    overlap(shingles(this[:MAX_CHARS]), shingles(other[:MAX_CHARS]))

    assert time.monotonic() - started < 5


def test_empty_sources_are_no_trouble() -> None:
    assert overlap(shingles(""), shingles("")) == 1.0

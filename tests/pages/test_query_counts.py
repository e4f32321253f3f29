"""List pages ask the database as often for many rows as for few."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.pages.cast import evaluation_of, finish, hand_in, person, worker
from tests.pages.outcomes import accepted


@pytest.mark.parametrize(
    ("path", "most"),
    [("/", 14), ("/ops/", 8), ("/ops/softmax/", 9), ("/ops/softmax/cpu/", 10), ("/results/", 7), ("/me/", 8), ("/status/", 6)],
)
def test_queries_do_not_grow_with_rows(as_alice: Client, alice: User, path: str, most: int) -> None:
    worker()
    _one_more(alice, 0)
    few = _queries(as_alice, path)

    for number in range(1, 6):
        _one_more(alice if number < 3 else person(f"author{number}"), number)

    assert _queries(as_alice, path) <= few <= most


def _one_more(author: User, number: int) -> None:
    finish(evaluation_of(hand_in(author, source=f"# {number}\n".encode())), accepted(1.1 + number / 10))


def _queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code == 200
    return len(seen)

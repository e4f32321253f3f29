"""List pages ask the database as often for many rows as for few."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from submissions.models import Submission
from tests.pages.cast import evaluation_of, finish, hand_in, person, worker
from tests.pages.outcomes import accepted

LARGE = re.compile(r'"submissions_(?:evaluation|submission)"\."(outcome|log|build|source)"')
NOTHING: Mapping[str, int] = MappingProxyType({})
OWN = {"outcome": 1, "log": 1, "build": 1, "source": 1}
"""A result page loads the row of its evaluation and that of its submission, each once."""


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/", 17),
        ("/ops/", 10),
        ("/ops/softmax/", 11),
        ("/ops/softmax/cpu/", 13),
        ("/feed/", 6),
        ("/u/alice/", 10),
        ("/records.atom", 3),
        ("/ops/softmax/cpu/feed.atom", 6),
        ("/results/", 7),
        ("/me/", 13),
        ("/me/tokens/", 4),
        ("/me/webhooks/", 5),
        ("/status/", 6),
    ],
)
def test_queries_do_not_grow_with_rows(as_alice: Client, alice: User, path: str, most: int) -> None:
    worker()
    _one_more(alice, 0)
    few = _queries(as_alice, path)

    for number in range(1, 6):
        _one_more(alice if number < 3 else person(f"author{number}"), number)

    assert _queries(as_alice, path) <= few <= most


def test_a_result_page_asks_as_often_on_a_full_board_as_on_an_empty_one(as_alice: Client, alice: User) -> None:
    worker()
    for number in range(3):
        _one_more(alice, number)
    path = f"/s/{alice.submissions.order_by('created_at')[0].pk}/"
    _queries(as_alice, path, OWN)  # what is usual is kept for a minute
    few = _queries(as_alice, path, OWN)

    for number in range(4, 9):
        _one_more(person(f"author{number}"), number)

    assert _queries(as_alice, path, OWN) == few <= 18


def test_a_result_page_loads_two_sources_only_where_it_shows_what_changed(as_alice: Client, alice: User, bob: User) -> None:
    secret = hand_in(bob, source=b"SECRET = 1\n", visibility="result")
    of_its_own = hand_in(alice, source=b"NUMBER = 1\n")
    for parent, sources in [(secret, 1), (of_its_own, 2)]:
        edited = hand_in(alice, source=b"NUMBER = 2\n")
        Submission.objects.filter(pk=edited.pk).update(parent=parent)

        _queries(as_alice, f"/s/{edited.pk}/", OWN | {"source": sources})


def _one_more(author: User, number: int) -> None:
    finish(evaluation_of(hand_in(author, source=f"NUMBER = {number}\n".encode())), accepted(1.1 + number / 10))


def _queries(client: Client, path: str, large: Mapping[str, int] = NOTHING) -> int:
    """How many; each of the columns in `large` is loaded so often, and no other large one."""
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code == 200
    loaded = Counter(column for query in seen for column in set(LARGE.findall(query["sql"])))
    assert loaded == large, f"{path} loads large columns"
    return len(seen)

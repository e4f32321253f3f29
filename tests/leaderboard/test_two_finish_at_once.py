"""Two workers end evaluations of one board at the same moment: nothing lost, nothing doubled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, connections, transaction

from evaluator.ops import registry
from leaderboard import catalogue
from leaderboard.models import Entry, Record
from leaderboard.ranking import board
from submissions.events import board_stream, read
from submissions.models import Evaluation
from tests.leaderboard.conftest import complete, open_confirming_runs, unfinished

pytestmark = pytest.mark.django_db(transaction=True, available_apps=[app.name for app in apps.get_app_configs()])
"""All apps by name: only then does the flush after a test cascade, to tables of models that are swapped for ours (knox's token)."""
DEADLINE_S = 30
WAITERS = """
SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
"""


def at_once(acts: list[Callable[[], None]]) -> None:
    """Run each act in a thread with a connection of its own, started together. Raises what any of them raised."""
    start = threading.Barrier(len(acts), timeout=DEADLINE_S)

    def go(act: Callable[[], None]) -> None:
        try:
            start.wait()
            act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(go, act) for act in acts]:
            done.result(timeout=DEADLINE_S)


def finishing(evaluation: Evaluation, speedup: float) -> Callable[[], None]:
    def act() -> None:
        with transaction.atomic():
            complete(evaluation, speedup)

    return act


def test_runs_of_one_source_by_one_author_all_count() -> None:
    catalogue.load(registry.all_ops("smoke"))
    alice = User.objects.create_user("alice")
    speedups = [1.0, 1.1, 1.2, 1.3, 1.4]
    runs = [unfinished(alice, source="same") for _ in speedups]

    at_once([finishing(run, speedup) for run, speedup in zip(runs, speedups, strict=True)])

    entry = Entry.objects.get()
    assert (entry.runs, entry.speedup) == (5, 1.2)
    assert len(open_confirming_runs()) == 1


def test_many_authors_share_one_board() -> None:
    catalogue.load(registry.all_ops("smoke"))
    authors = [User.objects.create_user(f"author{i}") for i in range(6)]
    runs = [unfinished(author) for author in authors]

    at_once([finishing(run, 1.1 + i) for i, run in enumerate(runs)])

    assert [row.author for row in board("softmax", "cpu").rows] == [f"author{i}" for i in reversed(range(6))]
    confirming = [run.author.username for run in open_confirming_runs()]
    assert "author5" in confirming
    assert len(confirming) == len(set(confirming))
    assert not Record.objects.exists()
    assert [event.seq for event in read(board_stream("softmax", "cpu"), 0)] == list(range(1, 7))


def test_the_second_waits_and_then_sees_the_first() -> None:
    catalogue.load(registry.all_ops("smoke"))
    alice = User.objects.create_user("alice")
    first, second = unfinished(alice, source="same"), unfinished(alice, source="same")
    written, waiting = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            complete(first, 1.0)
            written.set()
            assert waiting.wait(DEADLINE_S)

    def fast() -> None:
        assert written.wait(DEADLINE_S)
        with transaction.atomic():
            complete(second, 2.0)

    def watch() -> None:
        assert written.wait(DEADLINE_S)
        tick = threading.Event()
        with connection.cursor() as cursor:
            for _ in range(DEADLINE_S * 50):
                cursor.execute(WAITERS)
                if cursor.fetchone() == (1,):
                    break
                tick.wait(0.02)
        waiting.set()

    at_once([slow, fast, watch])

    entry = Entry.objects.get()
    assert (entry.runs, entry.speedup) == (2, 1.5)


def test_a_rolled_back_end_leaves_no_trace() -> None:
    catalogue.load(registry.all_ops("smoke"))
    alice = User.objects.create_user("alice")
    run = unfinished(alice)

    with pytest.raises(RuntimeError), transaction.atomic():
        complete(run, 2.0)
        raise RuntimeError

    assert not Entry.objects.exists()
    assert not read(board_stream("softmax", "cpu"), 0)

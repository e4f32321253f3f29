"""Events come in order, without gaps or doubles, however many write at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from submissions import events
from submissions.live.listener import Listener
from submissions.signals import housekeeping
from submissions.storable import storable, storable_text
from submissions.streams import competition_stream
from tests.submissions.conftest import committed


@pytest.mark.django_db
def test_numbers_count_per_stream() -> None:
    assert [events.append("a", "note", {}).seq for _ in range(3)] == [1, 2, 3]
    assert events.append("b", "note", {}).seq == 1
    assert events.last_seq("a") == 3
    assert events.last_seq("never") == 0


@pytest.mark.django_db
def test_several_at_once_keep_their_order() -> None:
    made = events.append_all("a", [("note", {"n": n}) for n in range(50)])

    assert [event.seq for event in made] == list(range(1, 51))
    assert [event.data["n"] for event in events.read("a", 10, limit=5)] == [10, 11, 12, 13, 14]
    assert events.append_all("a", []) == []


@pytest.mark.django_db
def test_what_submitted_code_prints_can_be_stored() -> None:
    event = events.append(
        "a", "log", {"text": "nul \x00, surrogate \udc80, " + "x" * 100_000, "f": float("nan"), "deep": [{"k\x00": "\x00"}]}
    )

    (stored,) = events.read("a", 0)
    assert stored.data == event.data
    assert "characters cut" in stored.data["text"]
    assert len(stored.data["text"]) < 20_000
    assert stored.data["f"] is None


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_storable_leaves_nothing_that_postgres_refuses(value: object) -> None:
    import json

    text = json.dumps(storable(value), allow_nan=False)  # type: ignore[arg-type]

    assert "\\u0000" not in text
    json.loads(text)


@given(st.text(st.characters(codec=None)))
def test_storable_text_is_utf8(text: str) -> None:
    assert "\x00" not in storable_text(text).encode("utf-8").decode()


@committed
def test_a_reader_never_sees_a_gap_while_many_write() -> None:
    """Readers that poll while eight writers append must get 1, 2, 3, … each time."""
    done, faults = threading.Event(), []

    def write(number: int) -> None:
        for turn in range(25):
            with transaction.atomic():
                events.append("busy", "note", {"writer": number, "turn": turn})
                if turn % 3 == 0:
                    events.append("busy", "note", {"writer": number, "turn": turn})
        connection.close()

    def read() -> int:
        after = 0
        while True:
            last_round = done.is_set()
            for event in events.read("busy", after):
                if event.seq != after + 1:
                    faults.append((after, event.seq))
                after = event.seq
            if last_round:
                connection.close()
                return after

    with ThreadPoolExecutor(10) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        writers = [pool.submit(write, number) for number in range(8)]
        for writer in writers:
            writer.result()
        done.set()
        total = [reader.result() for reader in readers]

    assert faults == []
    assert total == [8 * (25 + 9)] * 2


@committed
def test_an_event_rolled_back_leaves_no_hole() -> None:
    events.append("a", "note", {})
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        events.append("a", "note", {})
        raise ZeroDivisionError

    assert events.append("a", "note", {}).seq == 2


@committed
def test_a_notification_comes_with_the_commit_and_wakes_only_its_stream() -> None:
    listener = Listener()
    mine, other, everything = threading.Event(), threading.Event(), []
    listener.subscribe("board:kernelbench/level1/19_ReLU/cpu", lambda _: mine.set())
    listener.subscribe("other", lambda _: other.set())
    listener.subscribe(None, everything.append)
    listener.start()
    assert listener.listening.wait(10)
    while not everything:
        pass
    mine.clear()
    other.clear()

    with transaction.atomic():
        events.append("board:kernelbench/level1/19_ReLU/cpu", "entry", {})
        assert not mine.wait(0.1)

    assert mine.wait(5)
    assert not other.is_set()
    listener.end()
    listener.join(5)


@committed
def test_the_listener_comes_back_and_wakes_everyone() -> None:
    listener = Listener()
    woken: list[str | None] = []
    news = threading.Event()
    listener.subscribe("a", lambda stream: (woken.append(stream), news.set()))  # type: ignore[func-returns-value]
    listener.start()
    assert news.wait(10)
    news.clear()

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kb-listener' AND datname = current_database()"
        )

    assert news.wait(10)
    news.clear()
    events.append("a", "note", {})
    assert news.wait(5)
    assert woken == [None, None, "a"]
    listener.end()
    listener.join(5)


def test_shared_streams_keep_what_somebody_may_still_read(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "KEPT", 3)
    shared = (events.FEED, events.board_stream("softmax", "cpu"), competition_stream(1))
    for stream in (*shared, events.evaluation_stream("one")):
        events.append_all(stream, [("note", {"n": number}) for number in range(5)])

    housekeeping.send(sender=None)

    assert {stream: [event.seq for event in events.read(stream, 0)] for stream in shared} == {stream: [3, 4, 5] for stream in shared}
    assert len(events.read(events.evaluation_stream("one"), 0)) == 5
    assert events.append(events.FEED, "note", {}).seq == 6

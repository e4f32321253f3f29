"""What a process remembers: counters survive a crowd, and what is costly to make is made once."""

from __future__ import annotations

from django.core.cache import cache

from submissions.kept import kept


def test_a_counter_outlives_a_crowd_of_others() -> None:
    cache.set("throttle_anon_198.51.100.7", [1.0] * 600, 60)
    cache.set_many({f"throttle_anon_{number}": [1.0] for number in range(5_000)}, 60)

    assert len(cache.get("throttle_anon_198.51.100.7")) == 600
    cache.clear()


def test_what_was_made_of_the_same_texts_is_made_once() -> None:
    made: list[str] = []

    def make() -> str:
        made.append("made")
        return "of a, b"

    assert [kept("test", pair, make) for pair in (("a", "b"), ("a", "b"), ("ab", ""), ("b", "a"))] == ["of a, b"] * 4
    assert len(made) == 3
    assert [kept("test-large", ("a",), make, small=lambda one: False) for _ in range(2)] == ["of a, b"] * 2
    assert len(made) == 5

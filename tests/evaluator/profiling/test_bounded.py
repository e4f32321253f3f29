"""Texts, numbers and JSON of hostile origin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.profiling import bounded
from evaluator.profiling.bounded import Unreadable


@given(st.text(max_size=1000), st.integers(1, 100))
def test_a_text_is_one_printable_line_of_bounded_length(value: str, limit: int) -> None:
    shown = bounded.text(value, limit)

    assert len(shown) <= limit
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\nb\tc", "a b c"),
        ("\x1b[31mred", "\ufffd[31mred"),
        ("\u202eevil", "\ufffdevil"),
        (None, ""),
        (3, ""),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_texts(value: object, shown: str) -> None:
    assert bounded.text(value) == shown


@given(st.binary(max_size=500))
def test_lines_hold_nothing_but_text_and_line_ends(data: bytes) -> None:
    found = bounded.lines(data, 1000)

    assert all(c.isprintable() or c in "\n\t" for c in found)


@pytest.mark.parametrize(
    ("data", "text"), [(b"a\tb\r\nc\rd\x1b[0m\x7f\x00", "a\tb\nc\nd\ufffd[0m\ufffd\ufffd"), ("µ\x1b\u202e\n".encode(), "µ\ufffd\ufffd\n")]
)
def test_lines(data: bytes, text: str) -> None:
    assert bounded.lines(data, 100) == text


def test_too_many_bytes_are_not_read() -> None:
    with pytest.raises(Unreadable, match="at most 10"):
        bounded.lines(bytes(11), 10)
    with pytest.raises(Unreadable, match="at most 10"):
        bounded.loads(b'"' + bytes(10) + b'"', 10)


@pytest.mark.parametrize("value", [True, None, "1", float("nan"), float("inf"), 1e19, 10**400, [1]])
def test_no_number(value: object) -> None:
    assert bounded.number(value) is None


@pytest.mark.parametrize(("value", "count"), [(3, 3), (0, 0), (-1, None), (1.5, None), (True, None), (10**30, None)])
def test_counts(value: object, count: int | None) -> None:
    assert bounded.count(value) == count


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"1" * 5000, b"\xff"])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        bounded.loads(data, 1 << 20)


def test_json_without_numbers_that_are_none() -> None:
    assert bounded.loads(b"[NaN, Infinity, 1]", 100) == [None, None, 1]


@pytest.mark.parametrize("value", [None, {"a": 1}, "text", [1] * 5])
def test_no_list_of_objects(value: object) -> None:
    with pytest.raises(Unreadable):
        bounded.items(value, 4)  # type: ignore[arg-type]

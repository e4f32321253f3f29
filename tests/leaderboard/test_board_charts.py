"""A board's own pictures: who held the record, and where the entries lie."""

from __future__ import annotations

import dataclasses
import datetime as dt

from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.baselines import BaselineRow
from leaderboard.charts import record_steps_svg, record_table, strip_svg
from leaderboard.overview import RecordPoint
from leaderboard.ranking import Row, board
from tests.leaderboard.conftest import Finish
from tests.leaderboard.test_charts import NOW, SVG, checked

figures = st.floats(allow_nan=True, allow_infinity=True) | st.floats(1e-3, 1e3)


def held(author: str, speedup: float, days_ago: float, until_days_ago: float | None = None, epoch: int | None = None) -> RecordPoint:
    found = RecordPoint(author, "e", speedup, speedup * 0.95, speedup * 1.05, 10.0, NOW - dt.timedelta(days_ago), None, submission="s")
    until = None if until_days_ago is None else NOW - dt.timedelta(until_days_ago)
    return dataclasses.replace(found, held_until=until, **({} if epoch is None else {"epoch": epoch}))


def drawn(svg: str, kind: str) -> list[float]:
    """Lengths of the lines of a kind."""
    lines = [element for element in checked(svg).iter(f"{SVG}line") if element.get("class") == kind]
    return [float(line.get("x2", "0")) - float(line.get("x1", "0")) for line in lines]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(figures, st.floats(0, 900)), max_size=12))
def test_any_history_gives_a_sound_picture_or_none(history: list[tuple[float, float]]) -> None:
    svg = record_steps_svg([held("<a>", speedup, days) for speedup, days in sorted(history, key=lambda p: -p[1])], now=NOW)

    if svg:
        checked(svg)
        assert "<a>" not in svg


def test_a_step_is_as_long_as_its_record_was_held() -> None:
    history = [held("alice", 1.5, 40, 10), held("bob", 2.0, 10)]

    svg = record_steps_svg(history, now=NOW)

    first, second = drawn(svg, "chart-steps")
    assert round(first / second, 2) == 3
    assert len(drawn(svg, "chart-fall")) == 1
    assert "2 records, from 1.50× to 2.00×; now 2.00× by bob." in svg


def test_while_nobody_held_it_there_is_no_step() -> None:
    svg = record_steps_svg([held("alice", 1.5, 40, 30), held("bob", 1.2, 10)], now=NOW)

    assert drawn(svg, "chart-fall") == []
    assert [round(length / 564 * 40) for length in drawn(svg, "chart-steps")] == [10, 10]


def test_another_epoch_is_not_drawn_among_these() -> None:
    history = [held("alice", 9.0, 40, 30, epoch=1), held("bob", 1.2, 10)]

    assert len(drawn(record_steps_svg(history, now=NOW), "chart-steps")) == 1
    assert len(record_table(history, now=NOW)) == 2


def test_the_table_says_how_long_and_by_how_much() -> None:
    first, second = record_table([held("alice", 1.5, 40, 10), held("bob", 3.0, 10)], now=NOW)

    assert (first.held_s, second.held_s) == (30 * 86400, 10 * 86400)
    assert (first.gain, second.gain) == (None, 2.0)


@settings(deadline=None, max_examples=40)
@given(st.lists(figures, max_size=6), st.lists(figures, max_size=4))
def test_any_speedups_give_a_sound_strip_or_none(speedups: list[float], baselines: list[float]) -> None:
    svg = strip_svg([_row(speedup) for speedup in speedups], [BaselineRow(f"<b{n}>", speedup=value) for n, value in enumerate(baselines)])

    if svg:
        checked(svg)
        assert "<b0>" not in svg


def test_a_board_is_drawn_entry_by_entry_with_its_baselines(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 2.0)
    assert not strip_svg(board("softmax", "cpu").rows)
    finish(bob, 1.5)
    shown = board("softmax", "cpu", viewer=bob)

    root = checked(strip_svg(shown.rows, shown.baselines))

    kinds = [element.get("class") for element in root.iter(f"{SVG}line")]
    assert (kinds.count("strip-entry"), kinds.count("strip-mine"), kinds.count("strip-baseline")) == (1, 1, 1)
    assert "torch_eager" in "".join(root.itertext())


def _row(speedup: float) -> Row:
    return Row(
        rank=1, band=1, band_size=1, entry=1, evaluation="e", submission="s", author="a", author_id=1, agent="", kernel_type="torch",
        time_us=1.0, time_error_us=None, speedup=speedup, speedup_low=speedup, speedup_high=speedup, cases=1, cases_won=1, sol_share=None,
        runs=1, confirmed=False, confirmation="provisional", confirming_runs=0, stopped_by=None, interpreted=False, visibility="public",
        may_read_source=True, is_mine=False, at=NOW,
    )  # fmt: skip

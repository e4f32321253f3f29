"""A year of hand-ins: a column a week, a square a day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django.utils.safestring import SafeString

from leaderboard.authors import WEEKS, Day
from leaderboard.charts.svg import element, picture, text

CELL, GAP = 10.0, 2.0
LEFT, TOP = 40.0, 18.0
LEVELS = (1, 3, 8, 20)
"""From so many evaluations a day on a square is one step darker."""
NAMED_DAYS = ((0, "Mon"), (2, "Wed"), (4, "Fri"))


def activity_svg(days: Sequence[Day], today: dt.date) -> SafeString:
    """The last year up to `today`, weeks from Monday. Days without hand-ins are drawn as empty squares."""
    first = today - dt.timedelta(days=today.weekday(), weeks=WEEKS - 1)
    counts = {day.date: day for day in days}
    squares: list[str] = []
    months: list[str] = []
    shown_until = -3
    for number in range((today - first).days + 1):
        date = first + dt.timedelta(days=number)
        week, weekday = divmod(number, 7)
        x, y = LEFT + week * (CELL + GAP), TOP + weekday * (CELL + GAP)
        if date.day <= 7 and weekday == 0 and week - shown_until >= 3:
            months.append(text(f"{date:%b}", x, TOP - 6, kind="chart-tick"))
            shown_until = week
        squares.append(_square(counts.get(date), date, x, y))
    names = [text(name, LEFT - 6, TOP + row * (CELL + GAP) + CELL - 1, anchor="end", kind="chart-tick") for row, name in NAMED_DAYS]
    inside = [day for day in days if first <= day.date <= today]
    total = sum(day.evaluations for day in inside)
    return picture(
        LEFT + WEEKS * (CELL + GAP),
        TOP + 7 * (CELL + GAP),
        *months,
        *names,
        *squares,
        title="Evaluations handed in per day",
        description=f"{total} evaluation{_s(total)} on {len(inside)} day{_s(len(inside))} of the last year.",
        kind="chart-activity",
    )


def level(evaluations: int) -> int:
    """0 for none, up to 4."""
    return sum(evaluations >= least for least in LEVELS)


def _square(day: Day | None, date: dt.date, x: float, y: float) -> str:
    shade = level(day.evaluations) if day else 0
    said = element("title", f"{date:%Y-%m-%d}: {day.evaluations} handed in, {day.accepted} accepted") if day else ""
    return element("rect", *([said] if said else []), x=x, y=y, width=CELL, height=CELL, rx=2, class_=f"day-{shade}")


def _s(number: int) -> str:
    return "" if number == 1 else "s"

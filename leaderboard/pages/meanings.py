"""What the columns of a table say, in words that stand below it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures: its heading, and what it means."""

    heading: str
    says: str


BOARD = (
    Column(
        "rank", "1 + the number of entries in better bands. Entries that the measurement cannot tell apart make a band and share a rank."
    ),
    Column(
        "speedup",
        "Time of torch eager over time of the kernel, timed beside each other: the geometric mean of the op's cases, with its "
        "95 % interval as ± and as a bar. Of a source that ran more than once, the median of its runs.",
    ),
    Column("time", "Geometric mean of the median times of the cases; below it, its error."),
    Column(
        "of speed of light",
        "The least time that the device's data sheet allows, over the time that it took: the geometric mean of the cases. A dash where the "
        "device has no limits in the table.",
    ),
    Column("cases won", "Cases in which the kernel is faster than torch eager beyond the error, of all timed cases."),
    Column(
        "standing",
        "Provisional: as handed in, and the best of many tries is partly luck. Confirmed: the site ran it again by itself, with fresh "
        "inputs in fresh processes, and the figures are medians of these runs. Only who takes the lead is confirmed.",
    ),
    Column("since", "When the source that stands here was first accepted."),
)

"""Figures as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.baselines.figures import Clock, Figures, Status

HEAD = ("op", "baseline", "speedup", "95 % interval", "time", "torch_eager", "clock")


def table(found: Sequence[Figures]) -> Iterator[str]:
    """A line for each baseline; what is unavailable says why."""
    rows = [HEAD, *(_row(figures) for figures in found if figures.status is Status.OK)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    if len(rows) > 1:
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    for figures in found:
        if figures.status is not Status.OK:
            first, *more = figures.why.splitlines()
            yield f"{figures.op} {figures.name}: unavailable: {first}"
            yield from (f"    {line}" for line in more)


def _row(figures: Figures) -> tuple[str, ...]:
    interval = f"{figures.low:.3f} to {figures.high:.3f}" if figures.low is not None and figures.high is not None else "–"
    clock = "own clock" if figures.clock is Clock.OWN else "the judge's"
    flags = f" [{', '.join(figures.flags)}]" if figures.flags else ""
    return figures.op, figures.name, _ratio(figures.speedup), interval, _time(figures.time_us), _time(figures.eager_us), clock + flags


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}×"


def _time(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} µs"

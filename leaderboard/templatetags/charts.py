"""`{% distribution timing %}`, `{% roofline cases %}`, `{% speedup_bars cases %}`, `{% record_sparkline history %}` and their tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString

from evaluator.contract import CaseResult, CaseTiming
from leaderboard import charts
from leaderboard.authors import Day
from leaderboard.baselines import BaselineRow
from leaderboard.overview import RecordPoint
from leaderboard.ranking import Row

register = template.Library()


@register.simple_tag
def distribution(timing: CaseTiming) -> SafeString:
    return charts.distribution_svg(timing.samples_us, timing.baseline_samples_us)


@register.simple_tag
def distribution_table(timing: CaseTiming) -> list[charts.DistributionRow]:
    return charts.distribution_table(timing.samples_us, timing.baseline_samples_us)


@register.simple_tag
def roofline(cases: Sequence[CaseResult]) -> SafeString:
    return charts.roofline_svg(cases)


@register.simple_tag
def limits_table(cases: Sequence[CaseResult]) -> list[charts.LimitRow]:
    return charts.limits_table(cases)


@register.simple_tag
def any_limit(rows: Sequence[charts.LimitRow], which: str) -> bool:
    """Whether a row has ceilings of that kind: `table` or `calibrated`."""
    return any(getattr(row.limit, which) is not None for row in rows)


@register.simple_tag
def fast_p(curves: Sequence[charts.Curve]) -> SafeString:
    return charts.fast_p_svg(curves)


@register.simple_tag
def fast_p_table(curves: Sequence[charts.Curve]) -> charts.FastPTable:
    return charts.fast_p_table(curves)


@register.simple_tag
def why_no_roofline(cases: Sequence[CaseResult]) -> str:
    return charts.why_no_roofline(cases)


@register.simple_tag
def speedup_bars(cases: Sequence[CaseResult]) -> SafeString:
    return charts.speedup_bars_svg(cases)


@register.simple_tag
def record_sparkline(history: Sequence[RecordPoint]) -> SafeString:
    return charts.record_sparkline_svg(history)


@register.simple_tag
def record_table(history: Sequence[RecordPoint]) -> list[charts.RecordRow]:
    return charts.record_table(history)


@register.simple_tag
def activity(days: Sequence[Day], today: dt.date) -> SafeString:
    return charts.activity_svg(days, today)


@register.simple_tag
def record_steps(history: Sequence[RecordPoint], epoch: int) -> SafeString:
    return charts.record_steps_svg(history, epoch=epoch)


@register.simple_tag
def strip(rows: Sequence[Row], baselines: Sequence[BaselineRow]) -> SafeString:
    return charts.strip_svg(rows, baselines)

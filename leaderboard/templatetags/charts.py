"""`{% distribution timing %}`, `{% speedup_bars cases %}`, `{% record_sparkline history %}` and their tables."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString

from evaluator.contract import CaseResult, CaseTiming
from leaderboard import charts
from leaderboard.overview import RecordPoint

register = template.Library()


@register.simple_tag
def distribution(timing: CaseTiming) -> SafeString:
    return charts.distribution_svg(timing.samples_us, timing.baseline_samples_us)


@register.simple_tag
def distribution_table(timing: CaseTiming) -> list[charts.DistributionRow]:
    return charts.distribution_table(timing.samples_us, timing.baseline_samples_us)


@register.simple_tag
def speedup_bars(cases: Sequence[CaseResult]) -> SafeString:
    return charts.speedup_bars_svg(cases)


@register.simple_tag
def speedup_table(cases: Sequence[CaseResult]) -> list[charts.SpeedupBar]:
    return charts.speedup_table(cases)


@register.simple_tag
def record_sparkline(history: Sequence[RecordPoint]) -> SafeString:
    return charts.record_sparkline_svg(history)


@register.simple_tag
def record_table(history: Sequence[RecordPoint]) -> list[charts.RecordRow]:
    return charts.record_table(history)

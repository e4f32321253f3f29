"""Numbers in sensible units, verdicts as badges, source with line anchors."""

from __future__ import annotations

import datetime as dt
import math

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluator import diagnosis
from evaluator.contract import CaseResult
from submissions.pages import words
from submissions.pages.highlight import highlight

register = template.Library()
NONE = "–"


@register.filter
def time_us(value: float | None) -> str:
    """Microseconds with three significant digits in the unit that suits: `843 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`."""
    if value is None or not math.isfinite(value):
        return NONE
    for limit, unit, factor in ((1, "ns", 1e3), (1e3, "µs", 1), (1e6, "ms", 1e-3)):
        if abs(value) < limit * 0.9995:
            return f"{significant(value * factor)} {unit}"
    return f"{significant(value * 1e-6)} s"


@register.filter
def seconds(value: float | None) -> str:
    """Seconds as people say them: `0.8 s`, `12 s`, `3 min 05 s`."""
    if value is None:
        return NONE
    if value < 10:
        return f"{value:.1f} s"
    if value < 120:
        return f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


@register.filter
def ratio(value: float | None) -> str:
    """A speedup: `1.32×`, with more digits near 1, where they matter."""
    if value is None or not math.isfinite(value):
        return NONE
    if 0.9 <= value < 1.1:
        return f"{value:.3f}×"
    return f"{significant(value)}×"


@register.filter
def with_code(text: str) -> SafeString:
    """Plain text in which words between backticks are code."""
    parts = enumerate(text.split("`"))
    return format_html_join("", "{}", ((format_html("<code>{}</code>", part) if number % 2 else part,) for number, part in parts))


@register.filter
def patterns(case: CaseResult) -> list[str]:
    """What the wrong elements of a case have in common, in sentences."""
    return diagnosis.patterns(case)


@register.filter
def plus_minus(low: float | None, high: float | None) -> str:
    """Half-width of an interval, relative to its middle: `± 0.4 %`."""
    if low is None or high is None or low + high <= 0:
        return ""
    return f"± {significant((high - low) / (high + low) * 100, 2)} %"


@register.filter
def scientific(value: float | None) -> str:
    """An error: `3.1e-07`, plain zero as `0`."""
    if value is None:
        return NONE
    return "0" if value == 0 else f"{value:.1e}"


@register.filter
def percent(value: float | None) -> str:
    return NONE if value is None else f"{significant(value * 100)} %"


@register.filter
def figure(value: float | None) -> str:
    return NONE if value is None else significant(value)


@register.filter
def amount(value: float | None) -> str:
    """A count with a decimal prefix: `16.8 M`, `1.07 G`."""
    if value is None:
        return NONE
    for limit, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{significant(value / limit)} {unit}"
    return f"{value:g} "


@register.filter
def ago(moment: dt.datetime | None) -> SafeString | str:
    """A `<time>` that says how long ago."""
    if moment is None:
        return NONE
    passed = (timezone.now() - moment).total_seconds()
    if passed < 60:
        said = "just now"
    elif passed < 3600:
        said = f"{passed // 60:.0f} min ago"
    elif passed < 86400:
        said = f"{passed // 3600:.0f} h ago"
    elif passed < 86400 * 14:
        said = f"{passed // 86400:.0f} d ago"
    else:
        said = f"{moment:%Y-%m-%d}"
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), said)


@register.simple_tag
def verdict_badge(verdict: str, state: str) -> SafeString:
    said = words.of(verdict, state)
    return format_html('<span class="badge tone-{}">{}</span>', said.tone, said.title)


@register.filter
def code(source: str, language: str = "python") -> SafeString:
    """Highlighted source with an anchor on each line (`#L12`)."""
    return highlight(source, language)


def significant(value: float, digits: int = 3) -> str:
    """`digits` significant digits without an exponent; larger whole parts stay whole."""
    if value == 0:
        return "0"
    before = math.floor(math.log10(abs(value))) + 1
    rounded = round(value, digits - before)
    before = math.floor(math.log10(abs(rounded))) + 1 if rounded else 1
    return f"{rounded:,.{max(0, digits - before)}f}"


@register.filter
def first_line(text: str) -> str:
    return text.partition("\n")[0]


@register.filter
def has_more(text: str) -> bool:
    """Whether there is more than one line."""
    return "\n" in text.strip()


@register.filter
def plain_code(source: str, language: str = "python") -> SafeString:
    """Highlighted source without line anchors, for pages that show several."""
    return highlight(source, language, anchors=False)

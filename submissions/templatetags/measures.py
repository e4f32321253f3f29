"""Numbers in sensible units, verdicts as badges, source with line anchors."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluator import diagnosis
from evaluator.contract import CaseResult, Reason
from submissions.pages import words
from submissions.pages.command_line import with_own_file
from submissions.pages.highlight import highlight
from submissions.pages.traceback import with_line_links

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
def span(value: float | None) -> str:
    """A long time in seconds, in the one or two units that matter: `3 d 4 h`, `2 h 05 min`, `12 s`."""
    if value is None or value < 86400:
        return seconds(value)
    hours = round(value / 3600)
    return f"{hours // 24} d {hours % 24} h" if hours < 24 * 100 else f"{hours // 24} d"


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


@register.filter(name="bytes")
def size(value: float | None) -> str:
    """A count of bytes: `512 B`, `1.54 KiB`, `8.00 MiB`."""
    if value is None:
        return NONE
    for limit, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= limit:
            return f"{significant(value / limit)} {unit}"
    return f"{value:g} B"


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
def code(source: str) -> SafeString:
    """Highlighted source with an anchor on each line (`#L12`)."""
    return highlight(source)


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
def plain_code(source: str) -> SafeString:
    """Highlighted source without line anchors, for pages that show several."""
    return highlight(source, anchors=False)


@register.filter
def line_links(text: str, filename: str) -> SafeString:
    """A traceback or compiler output whose lines of the submission lead to the source (`#L12`)."""
    return with_line_links(text, filename)


@register.filter
def with_file(command: str, filename: str) -> str:
    """A command of the evaluator's with the submission's file name in place of `FILE`."""
    return with_own_file(command, filename)


@register.filter
def is_told_in(reason: str, reasons: Sequence[Reason]) -> bool:
    """Whether what follows the first line of a case's reason is the detail of one of the evaluation's."""
    rest = reason.partition("\n")[2].strip()
    return any(rest == told.detail.strip() for told in reasons)

"""Badges: two words of text on a strip of SVG, for a README. They stand alone, so they carry their own colours."""

from __future__ import annotations

from django.utils.html import escape
from django.utils.safestring import SafeString

from leaderboard.charts.svg import element

HEIGHT, PADDING = 20.0, 7.0
COLOURS = {"good": "#0b6a40", "bad": "#ae231c", "warn": "#825000", "live": "#1f47c4", "idle": "#565a60"}
_NARROW, _WIDE = "fijlrtI1.,:;|!'()[] /-", "mwMW@%"


def badge(label: str, value: str, tone: str, said: str) -> SafeString:
    """`said` is what a screen reader hears. Texts are squeezed into their fields, so that no font breaks the layout."""
    label, value = _short(label), _short(value)
    left, right = (2 * PADDING + _width(words) for words in (label, value))
    return element(
        "svg",
        element("title", escape(said)),
        element("rect", width=left + right, height=HEIGHT, rx=3, fill="#2b3138"),
        element("rect", x=left, width=right, height=HEIGHT, rx=3, fill=COLOURS[tone]),
        element("rect", x=left, width=4, height=HEIGHT, fill=COLOURS[tone]),
        _text(label, PADDING),
        _text(value, left + PADDING),
        xmlns="http://www.w3.org/2000/svg",
        width=left + right,
        height=HEIGHT,
        role="img",
    )


def _text(words: str, x: float) -> SafeString:
    return element(
        "text",
        escape(words),
        x=x,
        y=14,
        fill="#fff",
        font_size=11,
        font_family="Verdana,DejaVu Sans,Geneva,sans-serif",
        textLength=_width(words),
        lengthAdjust="spacingAndGlyphs",
    )


def _short(words: str) -> str:
    return words if len(words) <= 48 else f"{words[:47]}…"


def _width(words: str) -> float:
    """About what Verdana takes at 11 pixels."""
    return sum(4.2 if c in _NARROW else 10.2 if c in _WIDE else 7.1 for c in words)

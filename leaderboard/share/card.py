"""The picture that a chat or a social site shows for a link to a result: 1200 × 630 pixels, PNG."""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Callable

from django.conf import settings
from PIL import Image, ImageDraw, ImageFont

from submissions.pages.headline import Headline
from submissions.templatetags.measures import ratio

LOOK = 1
"""Raised when the drawing changes, so that nobody keeps an old picture."""
WIDTH, HEIGHT, EDGE = 1200, 630, 72
_PAPER, _INK, _QUIET, _LINE, _ACCENT = "#0f1215", "#e9ebed", "#a6aeb7", "#3d464f", "#9ab5ff"
_TONES = {"good": "#62d39b", "bad": "#ff9a90", "warn": "#efb65c", "live": _ACCENT, "idle": _QUIET}
_AXIS = (760, 436, 1128)
"""Left end, height and right end of the axis."""


@functools.lru_cache(maxsize=64)
def card(shown: Headline) -> bytes:
    """Op and author above, the verdict and the speedup with its interval in the middle, device and kernel type below."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH, 12), fill=_TONES[shown.tone])
    _brand(draw)
    _write(draw, (EDGE, 108), shown.op, size=64, bold=True, width=WIDTH - 2 * EDGE)
    _write(draw, (EDGE, 190), f"by {shown.author}", size=34, colour=_QUIET, width=WIDTH - 2 * EDGE)
    if shown.figure:
        _write(draw, (EDGE, 272), shown.title, size=40, bold=True, colour=_TONES[shown.tone])
        _write(draw, (EDGE, 318), shown.figure, size=136, bold=True, width=_AXIS[0] - 2 * EDGE)
        _write(draw, (EDGE, 478), f"the speed of torch eager   {shown.error}", size=34, colour=_QUIET, width=_AXIS[0] - 2 * EDGE)
        _interval(draw, shown)
    else:
        _write(draw, (EDGE, 320), shown.title, size=110, bold=True, colour=_TONES[shown.tone], width=WIDTH - 2 * EDGE)
    where = f"{shown.device_title}   ·   {shown.kernel_type}" + ("   ·   Triton's interpreter" if shown.interpreted else "")
    _write(draw, (EDGE, 560), where, size=30, colour=_INK, width=WIDTH - 2 * EDGE)
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _brand(draw: ImageDraw.ImageDraw) -> None:
    """The roofline and the name."""
    draw.line([(EDGE, 84), (EDGE + 22, 52), (EDGE + 48, 52)], fill=_ACCENT, width=6, joint="curve")
    draw.ellipse((EDGE + 28, 66, EDGE + 40, 78), fill=_ACCENT)
    _write(draw, (EDGE + 64, 48), "kbweb", size=34, bold=True, colour=_ACCENT)


def _interval(draw: ImageDraw.ImageDraw, shown: Headline) -> None:
    """The interval beside the line where nothing is gained, on a logarithmic axis."""
    if shown.low is None or shown.high is None or shown.speedup is None or not 0 < shown.low <= shown.speedup <= shown.high < math.inf:
        return
    left, y, right = _AXIS
    low, high = min(0.5, shown.low * 0.9), max(2.0, shown.high * 1.1)

    def at(value: float) -> float:
        return left + (right - left) * math.log(value / low) / math.log(high / low)

    draw.line((left, y, right, y), fill=_LINE, width=3)
    draw.line((at(1), y - 54, at(1), y + 20), fill=_QUIET, width=3)
    _centred(draw, at(1), y + 28, "1×")
    colour = _TONES["good"] if shown.low > 1 else _TONES["warn"] if shown.high < 1 else _INK
    draw.line((at(shown.low), y, max(at(shown.high), at(shown.low) + 2), y), fill=colour, width=12)
    for end in (shown.low, shown.high):
        draw.line((at(end), y - 18, at(end), y + 18), fill=colour, width=4)
    x = at(shown.speedup)
    draw.ellipse((x - 9, y - 9, x + 9, y + 9), fill=colour)
    _write(draw, (left, y - 126), "95 % interval", size=26, colour=_QUIET)
    _write(draw, (left, y - 92), f"{ratio(shown.low)} to {ratio(shown.high)}", size=26, colour=_QUIET, width=right - left)


def _centred(draw: ImageDraw.ImageDraw, x: float, y: float, words: str) -> None:
    font = _font(26, bold=False)
    draw.text((x - font.getlength(words) / 2, y), words, fill=_QUIET, font=font)


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    words: str,
    *,
    size: int,
    bold: bool = False,
    colour: str = _INK,
    width: int = WIDTH,
) -> None:
    """One line, smaller or cut where it would be wider than `width`."""
    length: Callable[[str], float] = _font(size, bold=bold).getlength
    if length(words) > width:
        smaller = max(size // 2, math.floor(size * width / length(words)))
        at, size = (at[0], at[1] + (size - smaller) // 2), smaller
        length = _font(size, bold=bold).getlength
    while words and length(words) > width:
        words = words[:-2].rstrip() + "…" if len(words) > 2 else ""
    draw.text(at, words, fill=colour, font=_font(size, bold=bold))


@functools.lru_cache(maxsize=64)
def _font(size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    """Inter, as vendored: servers have no fonts of their own."""
    file = settings.BASE_DIR / "static" / "vendor" / "inter" / f"inter-latin-{700 if bold else 400}-normal.woff"
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)

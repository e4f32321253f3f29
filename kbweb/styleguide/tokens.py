"""The colours of `static/css/tokens.css` in both themes, and how well one can be read on another."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

FILE = Path(settings.BASE_DIR) / "static" / "css" / "tokens.css"
COLOUR = re.compile(r"^\s*--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", re.MULTILINE)
SIZE = re.compile(r"^\s*--((?:text|s|radius|page|measure)[\w-]*): ([\d.]+(?:rem|px));", re.MULTILINE)
THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour token; `light` and `dark` as `#rrggbb`."""

    name: str
    light: str
    dark: str

    def of(self, theme: str) -> str:
        return self.light if theme == "light" else self.dark


@functools.cache
def colours() -> tuple[Colour, ...]:
    """All colours, in the order of the file."""
    return tuple(Colour(*found) for found in COLOUR.findall(FILE.read_text()))


@functools.cache
def sizes() -> tuple[tuple[str, str], ...]:
    """Names and values of text sizes, distances and widths."""
    return tuple(SIZE.findall(FILE.read_text()))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance of sRGB)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return float(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)

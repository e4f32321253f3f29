"""SVG by small functions. All text is escaped; numbers are rounded to a hundredth of a unit."""

from __future__ import annotations

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

Attribute = str | float | int


def element(name: str, *children: str, **attributes: Attribute) -> SafeString:
    """`<name …>children</name>`.

    Children are markup made here, words go through `text()`. `class_` is written `class`, `stroke_width` `stroke-width`.
    """
    written = "".join(f' {_attribute(key)}="{escape(_number(value))}"' for key, value in attributes.items())
    return mark_safe(f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>")


def text(words: str, x: Attribute, y: float, *, anchor: str = "start", kind: str = "chart-label") -> SafeString:
    return element("text", escape(words), x=x, y=y, class_=kind, text_anchor=anchor, fill="currentColor", font_size=12)


def picture(width: float, height: float, *content: str, title: str, description: str, kind: str, fixed: bool = False) -> SafeString:
    """A whole picture in a box of `width` × `height` units; `fixed` draws a unit as a pixel, else it fills its place.

    `title` is its name for a screen reader, `description` says in a sentence what it shows.
    """
    size: dict[str, Attribute] = {"width": width, "height": height} if fixed else {}
    return element(
        "svg",
        element("title", escape(title)),
        element("desc", escape(description)),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        role="img",
        class_=f"chart {kind}",
        **size,
    )


def fluid(height: float, *content: str, title: str, description: str, kind: str) -> SafeString:
    """A picture as wide as its place and `height` pixels high: texts and strokes keep their size at any width.

    Places across are `percent(…)`, places down are pixels; so only shapes that take percentages can be drawn (no paths).
    """
    return element(
        "svg",
        element("title", escape(title)),
        element("desc", escape(description)),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        width="100%",
        height=height,
        role="img",
        class_=f"chart {kind}",
    )


def percent(value: float) -> str:
    """A place across a `fluid` picture, from 0 to 100."""
    return f"{_number(value)}%"


def _attribute(name: str) -> str:
    return name if name == "viewBox" else name.rstrip("_").replace("_", "-")


def _number(value: Attribute) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.2f}".rstrip("0").rstrip(".")

"""The rules of a competition as HTML: Markdown without raw HTML and images, cleaned once more, because its text is as hostile as any."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from submissions.competitions.models import MAX_RULES
from submissions.kept import kept

TAGS = {
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong", "ul",
    "table", "tbody", "td", "th", "thead", "tr",
}  # fmt: skip
REL = "nofollow noopener noreferrer"
BELOW = 2
"""Headings are put so far below the page's own: the first level becomes `h3`."""

MOST_CELLS = 10_000
"""Cells that the tables of a text may have at most: a short row is filled up to the width of its head. With more, they stay text."""

_without_tables = MarkdownIt("commonmark", {"html": False, "linkify": False}).disable("image")
_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")


def as_html(text: str) -> SafeString:
    """Safe HTML of a Markdown text; "" of an empty one. Links leave without a referrer and lend no weight.

    It takes up to half a second, so it is kept.
    """
    return kept("rules", (text,), lambda: _rendered(text[:MAX_RULES]))


def _rendered(text: str) -> SafeString:
    markdown = _markdown if _most_cells(text) <= MOST_CELLS else _without_tables
    tokens = markdown.parse(text)
    for token in tokens:
        _lower(token)
    html = markdown.renderer.render(tokens, markdown.options, {})
    return mark_safe(nh3.clean(html, tags=TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}, link_rel=REL))


def _most_cells(text: str) -> int:
    """If every line were a row of the widest table."""
    lines = text.split("\n")
    return len(lines) * max(line.count("|") for line in lines)


def _lower(token: Token) -> None:
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(6, int(token.tag[1]) + BELOW)}"

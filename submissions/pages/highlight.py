"""Source code as HTML: Pygments' classes, one block per line with an anchor. Nothing inline, so the strict CSP holds."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Text, Whitespace, _TokenType

LONGEST = 200_000
"""Longer sources are shown without colours: lexing a megabyte takes a web process too long."""


def highlight(source: str, language: str = "python", anchors: bool = True) -> SafeString:
    """`<span class="ln" id="L1">…</span>` per line. Line numbers come from `data-line` by CSS, so that copying leaves them out."""
    if not anchors:
        return format_html_join("", "{}\n", ((line,) for line in _lines(source, language)))
    rows = enumerate(_lines(source, language), start=1)
    return format_html_join("", '<span class="ln" id="L{0}"><a href="#L{0}" data-line="{0}" aria-label="Line {0}"></a>{1}\n</span>', rows)


def _lines(source: str, language: str) -> Iterator[SafeString]:
    if len(source) > LONGEST:
        yield from (SafeString(escape(line)) for line in source.splitlines())
        return
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    line: list[str] = []
    for kind, text in lexer.get_tokens(source):
        first, *rest = text.split("\n")
        line.append(_piece(kind, first))
        for piece in rest:
            yield mark_safe("".join(line))  # every piece was escaped by format_html or escape
            line = [_piece(kind, piece)]
    if any(line):
        yield mark_safe("".join(line))


def _piece(kind: _TokenType, text: str) -> str:
    name = STANDARD_TYPES.get(kind, "")
    if not text or not name or kind in (Text, Whitespace):
        return escape(text)
    return format_html('<span class="{}">{}</span>', name, text)

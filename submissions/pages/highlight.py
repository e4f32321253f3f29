"""Source code as HTML: Pygments' classes, one block per line with an anchor. Nothing inline, so the strict CSP holds.

Sources are hostile, and lexers search with expressions that some texts keep busy for minutes (a line of 120,000 slashes, ten thousand lines
of one space). So only ordinary text is lexed, for a bounded time; all other text is shown without colours.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from pygments.lexers import PythonLexer
from pygments.token import STANDARD_TYPES, Text, Whitespace, _TokenType

LONGEST = 200_000
"""Characters of the longest source that is lexed."""
LONGEST_PIECE = 2_000
"""Characters of the longest line and the longest blank stretch of a source that is lexed: with these, one token takes some milliseconds."""
MOST_S = 1.0
"""CPU time for lexing, three times what the longest ordinary source takes; what is left then has no colours."""


def highlight(source: str, *, python: bool = True, anchors: bool = True, prefix: str = "L") -> SafeString:
    """`<span class="ln" id="L1">…</span>` per line. Line numbers come from `data-line` by CSS, so that copying leaves them out.

    Without `python` the text is escaped and has no colours. `prefix` begins the anchors of one of several listings on a page.
    """
    lines = _lines(source.replace("\r\n", "\n").replace("\r", "\n"), python)
    if not anchors:
        return format_html_join("", "{}\n", ((line,) for line in lines))
    rows = ((prefix, number, line) for number, line in enumerate(lines, start=1))
    row = '<span class="ln" id="{0}{1}"><a href="#{0}{1}" data-line="{1}" aria-label="Line {1}"></a>{2}\n</span>'
    return format_html_join("", row, rows)


def lexed(source: str) -> bool:
    """Whether the source is one that a lexer may see."""
    if len(source) > LONGEST:
        return False
    pieces = (*source.split("\n"), *re.findall(r"\s+", source))
    return max(map(len, pieces)) <= LONGEST_PIECE


def _lines(source: str, python: bool) -> Iterator[SafeString]:
    line: list[str] = []
    for kind, text in _tokens(source) if python and lexed(source) else [(Text, source)]:
        first, *rest = text.split("\n")
        line.append(_piece(kind, first))
        for piece in rest:
            yield mark_safe("".join(line))  # every piece was escaped by format_html or escape
            line = [_piece(kind, piece)]
    if any(line):
        yield mark_safe("".join(line))


def _tokens(source: str) -> Iterator[tuple[_TokenType, str]]:
    end = time.thread_time() + MOST_S
    for position, kind, text in PythonLexer().get_tokens_unprocessed(source):
        yield kind, text
        if time.thread_time() > end:
            yield Text, source[position + len(text) :]
            return


def _piece(kind: _TokenType, text: str) -> str:
    name = STANDARD_TYPES.get(kind, "")
    if not text or not name or kind in (Text, Whitespace):
        return escape(text)
    return format_html('<span class="{}">{}</span>', name, text)

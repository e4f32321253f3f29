"""Tracebacks and compiler output with links to the lines of the source that they name."""

from __future__ import annotations

import re

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

LONGEST = 100_000
"""Characters of the longest text in which lines are looked for."""
_FRAME = re.compile(r'File "(?P<file>[^"\n]{1,400})", line (?P<line>[1-9][0-9]{0,6})\b')
_REMARK = re.compile(r"\(line (?P<line>[1-9][0-9]{0,6})\)")


def with_line_links(text: str, filename: str) -> SafeString:
    """Escaped text in which `File "<filename>", line 12` and `(line 12)` lead to `#L12`. Lines of other files stay text."""
    if len(text) > LONGEST:
        return escape(text)
    own = filename.rpartition("/")[2]
    pieces: list[str] = []
    end = 0
    found = [match for match in _FRAME.finditer(text) if match["file"].rpartition("/")[2] == own] + list(_REMARK.finditer(text))
    for match in sorted(found, key=re.Match.start):
        if match.start() < end:
            continue
        pieces.append(escape(text[end : match.start()]))
        pieces.append(format_html('<a href="#L{}">{}</a>', match["line"], match.group()))
        end = match.end()
    pieces.append(escape(text[end:]))
    return mark_safe("".join(pieces))  # every piece was escaped

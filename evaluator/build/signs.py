"""Signs of a kernel type in a source's text, as data: the site's pages look for the same ones in the browser.

So patterns are written in what Python's `re` and JavaScript's `RegExp` read alike, without flags: `LINE` for the start of a line, and `END`
for the end of a name (`\\b` and `\\w` know other letters in Python than in JavaScript).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.contract import KernelType

LINE = r"(?<![^\n])"
END = r"(?![A-Za-z0-9_])"
START = r"(?<![A-Za-z0-9_])"


@dataclass(frozen=True, slots=True)
class Sign:
    """A source with `pattern` in it and without `unless` is of `kernel_type`, as surely as `score` says. No pattern: every source."""

    kernel_type: KernelType
    score: int
    pattern: str = ""
    unless: str = ""

    def speaks_for(self, text: str) -> bool:
        return bool(re.search(self.pattern, text)) and not (self.unless and re.search(self.unless, text))

"""Fingerprints of a source: exact, and of its normalised text."""

from __future__ import annotations

import hashlib
import io
import re
import token
import tokenize
from dataclasses import dataclass

from evaluator.contract import KernelType

IN_PYTHON = (KernelType.TORCH, KernelType.TORCH_CUDA, KernelType.TRITON, KernelType.HELION)
"""Kernel types whose source is a Python file."""
LONGEST = 200_000
"""Characters of the longest source whose tokens are looked for."""
LONGEST_LINE = 2_000
"""Characters of the longest line of such a source: tokenizers search some lines again for every character in them."""
_SAYS_ENCODING = re.compile(r"[ \t\f]*#.*?coding[:=]")
_BEGINS = frozenset(getattr(token, name) for name in ("FSTRING_START", "TSTRING_START") if hasattr(token, name))
_ENDS = frozenset(getattr(token, name) for name in ("FSTRING_END", "TSTRING_END") if hasattr(token, name))


@dataclass(frozen=True, slots=True)
class Hashes:
    """Both fingerprints of one source. Making them takes time, so it is done outside of transactions and locks."""

    source: str
    normalised: str

    @classmethod
    def of(cls, source: str, kernel_type: KernelType) -> Hashes:
        return cls(source_sha256(source.encode()), normalised_sha256(source, kernel_type))


def source_sha256(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()


def normalised_sha256(source: str, kernel_type: KernelType) -> str:
    """SHA-256 of the source without what changes nothing: blank lines, spaces at line ends, kinds of line endings, comments of Python.

    Strings of a Python source stay as they are. In what is no Python, cannot be read as such, or is longer than anybody writes,
    comments stay: what looks like one may be a C directive.
    """
    lines = _without_comments(source) if kernel_type in IN_PYTHON else None
    if lines is None:
        lines = [line for line in map(str.rstrip, source.splitlines()) if line]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _without_comments(source: str) -> list[str] | None:
    """Lines that are left of a Python source, the same by every version of Python; None when it has no tokens that make sense.

    Sources are hostile: only those with lines of ordinary length are read, and only as far as they are Python.
    """
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST or max(map(len, text.split("\n"))) > LONGEST_LINE:
        return None
    comments: dict[int, int] = {}
    in_strings: set[int] = set()
    begun: list[int] = []
    try:
        for found in tokenize.generate_tokens(io.StringIO(text).readline):
            if found.type == token.ERRORTOKEN:
                return None
            if found.type in _BEGINS:
                begun.append(found.start[0])
            elif found.type in _ENDS:
                in_strings.update(range(begun.pop(), found.end[0]))
            elif found.type == token.STRING:
                in_strings.update(range(found.start[0], found.end[0]))
            elif found.type == tokenize.COMMENT and not begun:
                comments[found.start[0]] = found.start[1]
    except (tokenize.TokenError, SyntaxError, IndexError):
        return None
    kept = []
    for number, line in enumerate(text.split("\n"), start=1):
        if number in in_strings:
            kept.append(line)
        elif number <= 2 and _SAYS_ENCODING.match(line):
            kept.append(line.rstrip())
        elif left := line[: comments.get(number)].rstrip():
            kept.append(left)
    return kept

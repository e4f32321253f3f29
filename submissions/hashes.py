"""Fingerprints of a source: exact, and of its normalised text."""

from __future__ import annotations

import hashlib


def source_sha256(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()


def normalised_sha256(source: str) -> str:
    """SHA-256 of the source without blank lines, spaces at line ends and differences of line endings.

    Comments stay: a line that starts with `#` may be a C directive in a string.
    """
    lines = (line.rstrip() for line in source.splitlines())
    return hashlib.sha256("\n".join(line for line in lines if line).encode()).hexdigest()

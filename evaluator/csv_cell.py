"""Text that goes into a CSV file which somebody will open in a spreadsheet."""

from __future__ import annotations

RUNS_AS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Spreadsheets take the full-width signs for the others."""


def cell(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would take it for a formula (OWASP, CSV injection)."""
    return f"'{text}" if text.lstrip(" ").startswith(RUNS_AS_FORMULA) else text

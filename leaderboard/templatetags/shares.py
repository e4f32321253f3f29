"""`{{ figures.correctness_score|share }}`: shares that are written as numbers from 0 to 1."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def share(value: float | None) -> str:
    """`0.917`, or a dash where there is none."""
    return "–" if value is None else f"{value:.3f}"

"""Contrast of a colour token on the page's paper."""

from __future__ import annotations

from django import template

from kbweb.styleguide.tokens import Colour, colours, contrast

register = template.Library()


@register.filter
def on_paper(colour: Colour, theme: str) -> str:
    """`7.4 : 1`"""
    paper = next(one for one in colours() if one.name == "paper")
    return f"{contrast(colour.of(theme), paper.of(theme)):.1f} : 1"

"""`/styleguide/`: every component in both themes, for staff."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from kbweb.styleguide.specimens import Specimen, specimens
from kbweb.styleguide.tokens import THEMES
from submissions.access import is_staff

NAMES = re.compile(r'\b(id|for|aria-labelledby|aria-describedby|data-copy)="([^"]+)"|\bhref="#([^"]+)"')


@dataclass(frozen=True, slots=True)
class Shown:
    """A specimen drawn once a theme."""

    specimen: Specimen
    sheets: tuple[tuple[str, SafeString], ...]


@require_safe
@never_cache
def styleguide(request: HttpRequest) -> HttpResponse:
    if not is_staff(request.user):
        raise Http404("The styleguide is for staff.")
    shown = [_shown(request, one) for one in specimens(request.user)]  # type: ignore[arg-type]  # staff is signed in
    return render(request, "kbweb/styleguide.html", {"section": "styleguide", "shown": shown})


def _shown(request: HttpRequest, specimen: Specimen) -> Shown:
    sheets = ((theme, render_to_string(specimen.template, {**specimen.context, "theme": theme}, request)) for theme in THEMES)
    return Shown(specimen, tuple((theme, _with_own_names(html, f"{theme}-{specimen.name}")) for theme, html in sheets))


def _with_own_names(html: SafeString, prefix: str) -> SafeString:
    """The same markup with ids of its own, since a page must not use one twice."""

    own = set(re.findall(r'\bid="([^"]+)"', html))

    def renamed(found: re.Match[str]) -> str:
        if found[3]:
            return f'href="#{prefix}-{found[3]}"' if found[3] in own else found[0]
        return f'{found[1]}="{" ".join(f"{prefix}-{name}" for name in found[2].split())}"'

    return mark_safe(NAMES.sub(renamed, html))  # the markup is a template's; only names in it change

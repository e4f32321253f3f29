"""`/docs/`, `/docs/<name>/`, `/rules/`, the Markdown of each, and `/llms.txt`."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from kbweb.docs import plain
from kbweb.docs.shelf import DOCS, SHELF, Doc


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All documents, each with what it is about."""
    return render(request, "kbweb/docs.html", {"section": "docs", "shelf": SHELF})


@require_safe
def doc(request: HttpRequest, name: str) -> HttpResponse:
    """One document."""
    shown = _doc(name)
    if request.path != shown.address:
        return redirect(shown.address, permanent=True)
    return render(request, "kbweb/doc.html", {"section": "docs", "doc": shown, "page": shown.rendered(), "shelf": SHELF})


def rules(request: HttpRequest) -> HttpResponse:
    return doc(request, "rules")


@require_safe
@cache_control(public=True, max_age=300)
@condition(etag_func=lambda request, name: plain.etag(_doc(name).text()))
def source(request: HttpRequest, name: str) -> HttpResponse:
    """One document as Markdown."""
    return HttpResponse(_doc(name).text(), content_type="text/markdown; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=300)
@condition(etag_func=lambda request: plain.etag(plain.for_agents()))
def llms(request: HttpRequest) -> HttpResponse:
    """What a program needs to hand in kernels here, as one text."""
    return HttpResponse(plain.for_agents(), content_type="text/plain; charset=utf-8")


def _doc(name: str) -> Doc:
    if name not in DOCS:
        raise Http404(f"There is no document “{name}”. All of them stand at {reverse('docs')}.")
    return DOCS[name]

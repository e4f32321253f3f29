"""The page at `/api/docs/`: every endpoint with its parameters, answers and shapes, made from the OpenAPI document."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kbweb.api.described import described


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "kbweb/reference.html", {"section": "api", "api": described()})

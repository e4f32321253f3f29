"""The site's addresses, and two more that fail, for the tests of error pages."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import path

from kbweb import urls
from kbweb.urls import handler400, handler403, handler404, handler429, handler500

__all__ = ["handler400", "handler403", "handler404", "handler429", "handler500"]


def fails(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of ours, with a secret: hunter2")


def refuses(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied("Only its author may change <this>.")


urlpatterns = [
    *urls.urlpatterns,
    path("fails/", fails),
    path("api/fails/", fails),
    path("refuses/", refuses),
    path("api/refuses/", refuses),
]

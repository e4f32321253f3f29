"""Where somebody goes on after signing in: what a form is sent to is no page, so coming back there would show nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlsplit, urlunsplit

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def login_required(view: View[P]) -> View[P]:
    """Django's, but for a session that ended before a form was sent: its sender comes back to the page with the form."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        return redirect_to_login(way_back(request))

    return answer


def way_back(request: HttpRequest) -> str:
    """This page; for a form that was sent, the page of this site that it was sent from, else the nearest page above."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    sent_from = request.headers.get("Referer", "")
    if url_has_allowed_host_and_scheme(sent_from, {request.get_host()}, require_https=request.is_secure()):
        page = urlsplit(sent_from)
        return urlunsplit(("", "", page.path, page.query, ""))
    return page_above(request.path)


def page_above(path: str) -> str:
    """The nearest address above that leads anywhere: `/me/tokens/` of `/me/tokens/<key>/revoke/`."""
    parts = path.strip("/").split("/")
    for length in range(len(parts) - 1, 0, -1):
        above = f"/{'/'.join(parts[:length])}/"
        try:
            resolve(above)
        except Resolver404:
            continue
        return above
    return "/"

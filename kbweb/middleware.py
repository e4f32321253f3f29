"""What stands before every view: a log that survives the database, a stop for what is too large or no database takes, a word to caches
behind them, and 405 in words."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.utils.cache import patch_cache_control
from django_structlog.middlewares import RequestMiddleware

from kbweb.body_limit import TOO_LARGE
from kbweb.errors.views import not_allowed


class RequestLog(RequestMiddleware):
    """django-structlog's, which asks the database who is signed in: while that is away, the line says nobody."""

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        try:
            RequestMiddleware.bind_user_id(request)
        except (OperationalError, InterfaceError):
            return


def refuse_large(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """413 for a request whose body was more than the server takes."""

    def answer(request: HttpRequest) -> HttpResponse:
        if getattr(request, "scope", {}).get(TOO_LARGE):
            raise RequestDataTooBig("The body is larger than DATA_UPLOAD_MAX_MEMORY_SIZE.")
        return get_response(request)

    return answer


def refuse_nul(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """404 for an address with a NUL character: nothing is called so, and PostgreSQL refuses to look."""

    def answer(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path:
            raise Http404("No name holds a NUL character.")
        return get_response(request)

    return answer


def keep_private(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """What the API answers to somebody with a token or a session is kept by nobody on the way, unless the view says how it may be."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        known = "Authorization" in request.headers or settings.SESSION_COOKIE_NAME in request.COOKIES
        if known and request.path.startswith("/api/") and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_store=True)
        return response

    return answer


def tell_what_is_not_allowed(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """A page with a way back in place of Django's empty 405."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        return not_allowed(request, response) if isinstance(response, HttpResponseNotAllowed) and not response.content else response

    return answer

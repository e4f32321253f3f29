"""The handlers of `kbweb/urls.py`: pages for people, problem documents below `/api/`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from http import HTTPStatus

import structlog
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.csrf import requires_csrf_token

from kbweb.api.problem import problem
from kbweb.errors.near import Near, near
from kbweb.errors.outage import RETRY_AFTER_S, database_is_away
from submissions.pages.way_back import page_above, way_back

FOR_PROGRAMS = "/api/"
WAIT_S = 300
"""The longest of the windows in which sign-in and its like are counted."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an error page says: what happened, why, and what to do, a paragraph each."""

    status: HTTPStatus
    title: str
    paragraphs: tuple[str, ...]
    near: tuple[Near, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, _of_bad_request(request, exception))


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    why = str(exception) if exception is not None and str(exception) else "Your account is not allowed to see or change this."
    return _answer(request, Said(HTTPStatus.FORBIDDEN, "You may not do this", (why, "If you have another account, sign in with it.")))


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """With the reason where a view of ours gave one, and with what looks like the address."""
    reader = getattr(request, "user", AnonymousUser())
    said = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    paragraphs = [said] if said and "matches the given query" not in said else []
    if not getattr(reader, "is_authenticated", False):
        paragraphs.append("What is private is seen by its author alone. If it is yours, sign in first.")
    meant = () if request.path.startswith(FOR_PROGRAMS) else near(request.path, reader)
    return _answer(request, Said(HTTPStatus.NOT_FOUND, "There is nothing at this address", tuple(paragraphs), meant))


def too_many(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    paragraphs = (
        "Signing in, signing up, passwords, exports and deletion are counted, so that nobody can guess passwords or keep the site busy.",
        "Wait some minutes, then try once more. What you have handed in goes on meanwhile.",
    )
    return _answer(request, Said(HTTPStatus.TOO_MANY_REQUESTS, "Too many tries", paragraphs, headers={"Retry-After": str(WAIT_S)}))


def not_allowed(request: HttpRequest, refusal: HttpResponseNotAllowed) -> HttpResponse:
    """405: an address to which only forms are sent was opened, or the other way round. `kbweb/middleware.py` asks for it."""
    if request.method in ("GET", "HEAD"):
        page = page_above(request.path)
        why = "A button sends its form here, and there is nothing to see. Nothing was changed. Go to the page with the button."
    else:
        page, why = request.path, "This is a page to look at, which takes no form. Nothing was changed."
    said = Said(HTTPStatus.METHOD_NOT_ALLOWED, "This cannot be opened", (why,), (Near(page, "the page for it"),))
    return _with({"Allow": refusal.headers["Allow"]}, _answer(request, said))


@requires_csrf_token
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose secret did not fit: no cookie, a page that was open for long, or a form of another site."""
    if reason == REASON_NO_CSRF_COOKIE:
        why = "Your browser sent no cookie with it. Allow cookies of this site; without them nobody can tell your forms from forged ones."
    else:
        why = "It was made before you signed in or out in another tab, or it stands on another site."
    what = "Nothing was changed. Go back, copy what you wrote, reload the page, and send it again."
    return _answer(request, Said(HTTPStatus.FORBIDDEN, "This form cannot be taken", (why, what)))


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 while the database is away. Asks nothing of the database."""
    if database_is_away(sys.exc_info()[1]):
        status, headers = HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": str(RETRY_AFTER_S)}
        detail = "The database does not answer at the moment. Nothing is lost. Ask again in a moment."
    else:
        status, headers = HTTPStatus.INTERNAL_SERVER_ERROR, {}
        detail = "Something broke on our side. The error is in the log of the site."
    number = structlog.contextvars.get_contextvars().get("request_id")
    if request.path.startswith(FOR_PROGRAMS):
        answer: HttpResponse = problem(status, f"{detail} Request {number}." if number else detail)
    else:
        context = {"status": status, "away": bool(headers), "number": number, "reload_s": RETRY_AFTER_S if request.method == "GET" else 0}
        answer = HttpResponse(render_to_string("kbweb/outage.html", context), status=status)
    return _with(headers, answer)


def _of_bad_request(request: HttpRequest, error: Exception) -> Said:
    if isinstance(error, DisallowedHost):
        why = f"This site answers at {settings.SITE_URL}, and not under the name by which you asked for it."
        return Said(HTTPStatus.BAD_REQUEST, "This site has another name", (why, "Whoever runs it can add names with KB_ALLOWED_HOSTS."))
    if isinstance(error, RequestDataTooBig):
        mib = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024**2
        why = f"A form may hold {mib} MiB, and a source 1 MiB."
        return Said(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "This is too large", (why, "Leave data out of the source: inputs come from the judge.")
        )
    if isinstance(error, (TooManyFieldsSent, TooManyFilesSent, MultiPartParserError)):
        return Said(
            HTTPStatus.BAD_REQUEST,
            "This form could not be read",
            ("It was cut off or malformed. Go back, reload the page, and send it again.",),
        )
    why = "Something in the address or the form was malformed."
    return Said(HTTPStatus.BAD_REQUEST, "This request could not be read", (why, "Go back, reload the page, and try once more."))


def _answer(request: HttpRequest, said: Said) -> HttpResponse:
    if request.path.startswith(FOR_PROGRAMS):
        answer: HttpResponse = problem(said.status, " ".join((f"{said.title}.", *said.paragraphs)))
    else:
        answer = render(request, "kbweb/error.html", {"said": said, "back": way_back(request)}, status=said.status)
    return _with(said.headers, answer)


def _with(headers: dict[str, str], answer: HttpResponse) -> HttpResponse:
    for name, value in headers.items():
        answer.headers[name] = value
    return answer

"""Who opens a socket: the session's user, or the owner of a token in the `Authorization` header.

A browser names the page's origin and must come from one of this site's hosts; else any page could read with the visitor's session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from channels.auth import get_user
from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.settings import api_settings

from submissions.access import Reader

UNKNOWN_TOKEN = 4401
FORBIDDEN = 4403
NOT_FOUND = 4404


class Scope(TypedDict):
    """The part of an ASGI scope that is read here."""

    headers: list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """Close the socket with this code."""

    code: int
    reason: str


async def reader_of(scope: Scope) -> Reader:
    """The user behind a socket. Raises `Refusal`."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
    if (origin := headers.get(b"origin")) is not None and not _own_origin(origin):
        raise Refusal(FORBIDDEN, "This page is not of this site.")
    if (authorization := headers.get(b"authorization")) is not None:
        return await sync_to_async(_owner)(authorization)
    user: Reader = await get_user(scope)
    return user


def _own_origin(origin: str) -> bool:
    host, _ = split_domain_port(urlsplit(origin).netloc.rpartition("@")[2])
    return bool(host) and validate_host(host, settings.ALLOWED_HOSTS)


def _owner(authorization: str) -> Reader:
    request = HttpRequest()
    request.META["HTTP_AUTHORIZATION"] = authorization
    kinds: tuple[type[BaseAuthentication], ...] = tuple(api_settings.DEFAULT_AUTHENTICATION_CLASSES)  # type: ignore[arg-type]
    for kind in kinds:
        if issubclass(kind, SessionAuthentication):
            continue
        try:
            found = kind().authenticate(Request(request))
        except AuthenticationFailed as error:
            raise Refusal(UNKNOWN_TOKEN, str(error.detail)) from error
        if found is not None:
            user: Reader = found[0]
            return user
    raise Refusal(UNKNOWN_TOKEN, "The Authorization header must be: Bearer <token>.")

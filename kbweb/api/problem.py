"""Errors of the REST API as `application/problem+json` (RFC 9457), with the fields that are wrong."""

from __future__ import annotations

from http import HTTPStatus

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, JsonResponse
from rest_framework import exceptions
from rest_framework.exceptions import APIException, ErrorDetail
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_handler

MEDIA_TYPE = "application/problem+json"
Errors = dict[str, list[str]]


def body(status: int, detail: str, *, errors: Errors | None = None, code: str = "") -> dict[str, object]:
    """A problem document. `type` is `about:blank` (the status says it all) or `urn:kbweb:<code>`."""
    document: dict[str, object] = {
        "type": f"urn:kbweb:{code}" if code else "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        document["errors"] = errors
    return document


def problem(status: int, detail: str, *, errors: Errors | None = None, code: str = "") -> JsonResponse:
    """The response for a view outside DRF."""
    return JsonResponse(body(status, detail, errors=errors, code=code), status=status, content_type=MEDIA_TYPE)


class FieldErrors(APIException):
    """Raise it with `{field: [message, …]}`: a 400 whose `errors` names the fields."""

    status_code = HTTPStatus.BAD_REQUEST
    default_code = "invalid"

    def __init__(self, errors: Errors) -> None:
        super().__init__("Some fields are wrong.")
        self.errors = errors


def exception_handler(error: Exception, context: dict[str, object]) -> Response | None:
    """DRF's handler, with the answer turned into a problem document. Keeps `Retry-After` and `WWW-Authenticate`."""
    if isinstance(error, RequestDataTooBig):
        error = exceptions.APIException("The request is larger than the server takes.", code="too_large")
        error.status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    response = drf_handler(error, context)
    if response is None:
        return None
    response.data = body(response.status_code, _sentence(error, response), errors=_errors(error), code=_code(error))
    response.data |= getattr(error, "members", {})
    response.content_type = MEDIA_TYPE
    return response


def _errors(error: Exception) -> Errors | None:
    if isinstance(error, FieldErrors):
        return error.errors
    if not isinstance(error, exceptions.ValidationError):
        return None
    detail = error.detail
    return _flatten(detail, "") if isinstance(detail, dict) else {"non_field_errors": [str(item) for item in detail]}


def _flatten(detail: object, prefix: str) -> Errors:
    """Nested serializer errors as `outer.inner` and `list.0.inner`."""
    found: Errors = {}
    if isinstance(detail, dict):
        for name, inner in detail.items():
            found.update(_flatten(inner, f"{prefix}.{name}" if prefix else str(name)))
    elif isinstance(detail, list) and any(isinstance(item, (dict, list)) for item in detail):
        for index, inner in enumerate(detail):
            found.update(_flatten(inner, f"{prefix}.{index}"))
    elif detail:
        found[prefix] = [str(item) for item in detail] if isinstance(detail, list) else [str(detail)]
    return found


def _sentence(error: Exception, response: Response) -> str:
    if isinstance(error, (exceptions.ValidationError, FieldErrors)):
        return "Some fields are wrong: " + ", ".join(_errors(error) or {}) + "."
    if isinstance(error, Http404):
        return "There is no such thing here, or you may not see it."
    if isinstance(error, PermissionDenied):
        return "You may not do this."
    if isinstance(error, APIException) and isinstance(error.detail, (str, ErrorDetail)):
        return str(error.detail)
    return HTTPStatus(response.status_code).description


def _code(error: Exception) -> str:
    code = error.get_codes() if isinstance(error, APIException) else ""
    return code if isinstance(code, str) else "invalid"

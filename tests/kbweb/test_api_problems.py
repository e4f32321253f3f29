"""REST errors are problem documents that name the fields."""

from __future__ import annotations

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import serializers, status
from rest_framework.exceptions import NotAuthenticated, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from kbweb.api.problem import FieldErrors


class Inner(serializers.Serializer[object]):
    n = serializers.IntegerField()


class Outer(serializers.Serializer[object]):
    name = serializers.CharField()
    rows = Inner(many=True)


def answer(error: Exception) -> tuple[Response, dict[str, object]]:
    class View(APIView):
        authentication_classes = ()
        permission_classes = ()

        def get(self, request: Request) -> Response:
            raise error

    response = View.as_view()(APIRequestFactory().get("/"))
    assert isinstance(response, Response)
    response.render()
    return response, json.loads(response.content)


def test_wrong_fields_are_named_down_to_the_row() -> None:
    serializer = Outer(data={"rows": [{"n": 1}, {"n": "x"}]})
    serializer.is_valid()

    response, body = answer(ValidationError(serializer.errors))

    assert response.headers["Content-Type"] == "application/problem+json"
    assert body["status"] == response.status_code == 400
    assert body["title"] == "Bad Request"
    assert set(body["errors"]) == {"name", "rows.1.n"}


def test_errors_of_a_service_keep_their_fields() -> None:
    _, body = answer(FieldErrors({"source": ["is empty"]}))

    assert body["errors"] == {"source": ["is empty"]}
    assert body["detail"] == "Some fields are wrong: source."


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Http404(), status.HTTP_404_NOT_FOUND),
        (PermissionDenied(), status.HTTP_403_FORBIDDEN),
        (NotAuthenticated(), status.HTTP_403_FORBIDDEN),
    ],
)
def test_every_refusal_is_a_problem_document(error: Exception, code: int) -> None:
    response, body = answer(error)

    assert (response.status_code, body["status"]) == (code, code)
    assert body["detail"]
    assert "errors" not in body


def test_a_throttled_client_is_told_when_to_come_again() -> None:
    response, body = answer(Throttled(wait=12.4))

    assert (response.status_code, response.headers["Retry-After"]) == (429, "13")
    assert "13 seconds" in str(body["detail"])

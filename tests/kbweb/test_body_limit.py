"""A body that is too large is answered without being kept, whether its length is declared or it comes in pieces."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.exceptions import ValidationError
from rest_framework.test import APIClient

from evaluator.contract import MAX_SOURCE_BYTES
from kbweb.asgi import application
from kbweb.body_limit import BodyLimit, Message
from submissions.api.fields import SourceField
from submissions.intake_errors import IntakeError
from submissions.pages.forms import SubmitForm

MOST = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
PIECE = b"x" * 1024**2


async def pieces(taken: list[int]) -> AsyncIterator[bytes]:
    for number in range(MOST // len(PIECE) + 2):
        taken.append(number)
        yield PIECE


async def post(path: str, content: bytes | AsyncIterator[bytes], media_type: str = "application/json") -> httpx.Response:
    transport = httpx.ASGITransport(application)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.post(path, content=content, headers={"Content-Type": media_type})


@pytest.mark.parametrize("chunked", [False, True], ids=["declared", "in pieces"])
async def test_a_program_gets_a_problem_document(chunked: bool) -> None:
    answer = await post("/api/v1/submissions", pieces([]) if chunked else b" " * (MOST + 1))

    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    assert "1 MiB" in answer.json()["detail"]


@pytest.mark.parametrize("chunked", [False, True], ids=["declared", "in pieces"])
async def test_a_person_gets_a_page(chunked: bool) -> None:
    answer = await post("/submit/", pieces([]) if chunked else b" " * (MOST + 1), "application/x-www-form-urlencoded")

    assert answer.status_code == 413
    assert "This is too large" in answer.text
    assert "default-src" in answer.headers["content-security-policy"]


async def test_nothing_behind_the_limit_reaches_the_site() -> None:
    got: list[Message] = []

    async def keeps_all(scope: Message, receive: object, send: object) -> None:
        while True:
            got.append(await receive())  # type: ignore[operator]
            if not got[-1].get("more_body"):
                return

    sent = iter([{"type": "http.request", "body": b"1234", "more_body": True}] * 9)

    async def receive() -> Message:
        return dict(next(sent))

    async def send(message: Message) -> None:
        raise AssertionError(message)

    scope: Message = {"type": "http", "headers": []}
    await BodyLimit(keeps_all, 10)(scope, receive, send)  # type: ignore[arg-type]

    assert [message["body"] for message in got] == [b"1234", b"1234", b""]


async def test_a_body_of_just_the_limit_is_taken() -> None:
    seen: list[Message] = []

    async def reads(scope: Message, receive: object, send: object) -> None:
        seen.append(await receive())  # type: ignore[operator]

    async def receive() -> Message:
        return {"type": "http.request", "body": b"12345", "more_body": False}

    scope: Message = {"type": "http", "headers": [(b"content-length", b"5")]}
    await BodyLimit(reads, 5)(scope, receive, lambda message: None)  # type: ignore[arg-type, return-value]

    assert seen == [{"type": "http.request", "body": b"12345", "more_body": False}]


@pytest.mark.django_db
def test_json_that_is_nested_without_end_is_a_wrong_request() -> None:
    client = APIClient()
    client.force_authenticate(User.objects.create_user("alice"))

    answer = client.post("/api/v1/submissions", b"[" * 200_000, content_type="application/json")

    assert answer.status_code == 400


class Unread(SimpleUploadedFile):
    """A file that somebody reads at their peril."""

    def read(self, *args: object) -> bytes:
        raise AssertionError("it was read")


@pytest.mark.parametrize("door", ["rest", "form"])
def test_a_file_that_is_larger_than_a_source_is_refused_unread(door: str) -> None:
    file = Unread("big.py", b"#" * (MAX_SOURCE_BYTES + 1))

    with pytest.raises((ValidationError, IntakeError), match="1,048,577 bytes"):
        if door == "rest":
            SourceField().to_internal_value(file)  # type: ignore[arg-type]
        else:
            form = SubmitForm({}, {"file": file}, devices=[])
            form.is_valid()
            form.source_bytes()

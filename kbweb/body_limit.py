"""A bound on what a request carries, kept while it arrives: Django's own holds for forms in memory alone, all else goes to disk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping

Message = MutableMapping[str, object]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

TOO_LARGE = "kbweb.too_large"
"""True in the scope of a request whose body was left out; `kbweb.middleware.refuse_large` answers it."""


class BodyLimit:
    """Passes on at most `most_bytes` of a body. A larger one arrives as an empty one, its request marked with `TOO_LARGE`.

    What follows of it is read and dropped, so that the client gets to hear the answer.
    """

    def __init__(self, application: Application, most_bytes: int) -> None:
        self._application = application
        self._most_bytes = most_bytes

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        left = self._most_bytes
        ended = False

        async def bounded() -> Message:
            nonlocal left, ended
            if ended:
                while (message := await receive())["type"] == "http.request":
                    pass
                return message
            message = {"type": "http.request"} if scope.get(TOO_LARGE) else await receive()
            if message["type"] != "http.request":
                return message
            body = message.get("body", b"")
            assert isinstance(body, bytes)
            left -= len(body)
            if left < 0 or scope.get(TOO_LARGE):
                scope[TOO_LARGE] = ended = True
                return {"type": "http.request", "body": b"", "more_body": False}
            ended = not message.get("more_body", False)
            return message

        if declared_bytes(scope) > self._most_bytes:
            scope[TOO_LARGE] = True
        await self._application(scope, bounded, send)


def declared_bytes(scope: Message) -> int:
    """What `Content-Length` says; 0 where it says nothing that can be read: the server counts for itself."""
    headers = scope.get("headers")
    assert isinstance(headers, (list, tuple))
    given = next((value for name, value in headers if name == b"content-length"), b"")
    return int(given) if given.isdigit() and len(given) < 20 else 0

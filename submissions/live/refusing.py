"""A socket at an address that is none is closed with 4404 instead of an exception in the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping

from django.urls.exceptions import Resolver404

from submissions.live.authentication import NOT_FOUND

Message = MutableMapping[str, object]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class RefuseUnknown:
    """Wraps the socket router."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        try:
            await self._application(scope, receive, send)
        except (Resolver404, ValueError) as error:
            if isinstance(error, ValueError) and "No route found" not in str(error):
                raise
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": NOT_FOUND, "reason": "There is no such socket."})

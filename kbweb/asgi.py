"""The web process: Django for HTTP, Channels for sockets, and a lifespan that starts and stops the listener.

Neither Django nor Channels answers ASGI's lifespan, so this module does.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, MutableMapping

from asgiref.typing import ASGI3Application
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
django_application = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402 (apps must be ready)
from channels.sessions import SessionMiddlewareStack  # noqa: E402
from django.conf import settings  # noqa: E402

from kbweb.body_limit import BodyLimit  # noqa: E402
from submissions.live import listener  # noqa: E402
from submissions.live.groups import Waker  # noqa: E402
from submissions.live.refusing import RefuseUnknown  # noqa: E402
from submissions.live.routing import urlpatterns  # noqa: E402

Message = MutableMapping[str, object]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Lifespan:
    """Passes everything on but `lifespan`, which it answers itself."""

    def __init__(self, application: ASGI3Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._application(scope, receive, send)  # type: ignore[arg-type]
            return
        while True:
            event = await receive()
            if event["type"] == "lifespan.startup":
                Waker(asyncio.get_running_loop()).connect(listener.shared())
                await send({"type": "lifespan.startup.complete"})
            else:
                await asyncio.to_thread(listener.end_shared)
                await send({"type": "lifespan.shutdown.complete"})
                return


http = BodyLimit(django_application, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)  # type: ignore[arg-type]
sockets = RefuseUnknown(SessionMiddlewareStack(URLRouter(urlpatterns)))
application = Lifespan(ProtocolTypeRouter({"http": http, "websocket": sockets}))

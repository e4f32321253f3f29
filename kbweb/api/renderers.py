"""What lets a client ask for a media type that a view writes by itself."""

from __future__ import annotations

from rest_framework.renderers import BaseRenderer, JSONRenderer


class ErrorsAsJson(BaseRenderer):
    """A subclass names the media type. Only errors are rendered with it, as JSON like everywhere."""

    charset = "utf-8"

    def render(self, data: object, accepted_media_type: str | None = None, renderer_context: object = None) -> bytes:
        return bytes(JSONRenderer().render(data))

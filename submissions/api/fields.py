"""Input fields that REST clients fill in more than one way."""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@extend_schema_field({"type": "string", "maxLength": 1048576, "description": "UTF-8 text (JSON) or a file (multipart)."})
class SourceField(serializers.Field[bytes, str, bytes, object]):
    """The source as text, or as an uploaded file. Left as bytes: intake judges the encoding."""

    default_error_messages = {"invalid": "Send the source as text, or as a file in a multipart form."}

    def to_internal_value(self, data: str) -> bytes:
        if isinstance(data, UploadedFile):
            return bytes(data.read())
        if not isinstance(data, str):
            self.fail("invalid")
        return data.encode("utf-8", "surrogatepass")

    def to_representation(self, value: bytes) -> bytes:
        return value


@extend_schema_field(
    {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}], "description": "One device or several."}
)
class DeviceField(serializers.Field[list[str], str, list[str], object]):
    """One device slug, or several of them (a JSON list, or the form field repeated)."""

    default_error_messages = {"invalid": "Name a device, or a list of devices."}

    def get_value(self, dictionary: object) -> object:
        if isinstance(dictionary, QueryDict):
            found = dictionary.getlist(self.field_name or "device")
            return found or serializers.empty
        return super().get_value(dictionary)  # type: ignore[arg-type]

    def to_internal_value(self, data: str) -> list[str]:
        given = [data] if isinstance(data, str) else data
        if not isinstance(given, list) or not all(isinstance(device, str) for device in given) or len(given) > 16:
            self.fail("invalid")
        return list(given)

    def to_representation(self, value: list[str]) -> list[str]:
        return value

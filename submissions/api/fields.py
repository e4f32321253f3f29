"""Input fields that REST clients fill in more than one way."""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluator.contract import MAX_SOURCE_BYTES
from submissions.hand_in import TOO_LONG


@extend_schema_field({"type": "string", "maxLength": 1048576, "description": "UTF-8 text (JSON) or a file (multipart)."})
class SourceField(serializers.Field[bytes, str, bytes, object]):
    """The source as text, or as an uploaded file. Left as bytes: intake judges the encoding."""

    default_error_messages = {"invalid": "Send the source as text, or as a file in a multipart form."}

    def to_internal_value(self, data: str) -> bytes:
        if isinstance(data, UploadedFile):
            if (data.size or 0) > MAX_SOURCE_BYTES:
                raise serializers.ValidationError(TOO_LONG.format(bytes=f"{data.size:,}", most=f"{MAX_SOURCE_BYTES:,}"))
            return bytes(data.read())
        if not isinstance(data, str):
            self.fail("invalid")
        return data.encode("utf-8", "surrogatepass")

    def to_representation(self, value: bytes) -> bytes:
        return value


class ShortListField(serializers.ListField):
    """A list whose length is looked at before what is in it."""

    def to_internal_value(self, data: list[object]) -> list[object]:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)


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

"""Make text and JSON that came from submitted code storable: PostgreSQL refuses NUL characters and unpaired surrogates."""

from __future__ import annotations

from evaluator.contract import JSON


def storable_text(text: str, limit: int | None = None) -> str:
    """`text` without what PostgreSQL refuses, and with its middle cut out (and said so) when longer than `limit` characters."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    if limit is not None and len(text) > limit:
        head, tail = limit // 2, limit - limit // 2
        text = f"{text[:head]}\n… {len(text) - limit} characters cut …\n{text[-tail:]}"
    return text


def storable(value: JSON) -> JSON:
    """`value` with every string in it (keys too) made storable, and non-finite numbers turned into None."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {storable_text(key): storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [storable(item) for item in value]
    return value

"""Dataclasses and enums of the contract to JSON values and back."""

from __future__ import annotations

import dataclasses
import enum
import json
import types
import typing
from collections.abc import Mapping

JSON = typing.Union[None, bool, int, float, str, list["JSON"], dict[str, "JSON"]]  # noqa: UP007 (recursive)


def to_json(value: object) -> JSON:
    """Turn contract data into JSON values. Non-finite floats become None, because PostgreSQL's jsonb and JSON refuse them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, float):
        return value if value == value and value not in (float("inf"), float("-inf")) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return {str(k): to_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(v) for v in value]
    raise TypeError(f"{type(value).__name__} is not contract data")


T = typing.TypeVar("T")


def from_json(kind: type[T], value: object) -> T:
    """Build contract data of type `kind` from JSON values. Raises `ValueError` or `TypeError` when they do not fit."""
    return typing.cast("T", _decode(kind, value))


def dumps(value: object) -> str:
    return json.dumps(to_json(value), allow_nan=False)


def _decode(kind: object, value: object) -> object:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        arms = typing.get_args(kind)
        if value is None and type(None) in arms:
            return None
        if len(arms) > 2:
            return value
        return _decode(next(arm for arm in arms if arm is not type(None)), value)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"expected a list, got {type(value).__name__}")
        (item, *_) = typing.get_args(kind)
        return tuple(_decode(item, v) for v in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise TypeError(f"expected an object, got {type(value).__name__}")
        return {str(k): _decode(typing.get_args(kind)[1], v) for k, v in value.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            raise TypeError(f"expected an object for {kind.__name__}, got {type(value).__name__}")
        hints = typing.get_type_hints(kind)
        known = {f.name: _decode(hints[f.name], value[f.name]) for f in dataclasses.fields(kind) if f.name in value}
        return kind(**known)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(kind, type) and kind in (int, float, str, bool) and not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value

"""Reading the fields of a JSON object one by one, each with its place in the error."""

from __future__ import annotations

import math
import re
import typing
from collections.abc import Collection

from evaluator.ops.recorded.errors import DocumentError

_REQUIRED: typing.Final = object()


class Fields:
    """The fields of one object. `end()` refuses those that nobody asked for. Everything raises `DocumentError`."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise DocumentError(where, f"expected an object, got {type(value).__name__}")
        self.where = where
        self._values: dict[str, object] = {str(name): item for name, item in value.items()}
        self._asked: list[str] = []

    def has(self, name: str) -> bool:
        return self._values.get(name) is not None

    def at(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def take(self, name: str, default: object = _REQUIRED) -> object:
        self._asked.append(name)
        if name not in self._values and default is _REQUIRED:
            raise DocumentError(self.at(name), "is missing")
        return self._values.get(name, default)

    def text(self, name: str, *, longest: int, default: object = _REQUIRED, pattern: str = "") -> str:
        value = self.take(name, default)
        if not isinstance(value, str):
            raise DocumentError(self.at(name), f"expected a text, got {type(value).__name__}")
        if len(value) > longest or "\x00" in value:
            raise DocumentError(self.at(name), f"a text of at most {longest} characters without NUL is wanted, this has {len(value)}")
        if pattern and not re.fullmatch(pattern, value, re.ASCII):
            raise DocumentError(self.at(name), f"{value!r} does not look like {pattern}")
        return value

    def choice(self, name: str, known: Collection[str], default: object = _REQUIRED) -> str:
        value = self.take(name, default)
        if not isinstance(value, str) or value not in known:
            raise DocumentError(self.at(name), f"{value!r} is not one of {', '.join(known)}")
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self.take(name, default)
        if not isinstance(value, bool):
            raise DocumentError(self.at(name), f"expected true or false, got {value!r}")
        return value

    def integer(self, name: str, default: object = _REQUIRED, *, high: int = 2**62) -> int:
        return _integer(self.take(name, default), self.at(name), high)

    def number(self, name: str, default: float) -> float:
        value = self.take(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise DocumentError(self.at(name), f"expected a finite number, got {type(value).__name__}")
        try:
            number = float(value)
        except OverflowError:  # an integer of more than 308 digits
            number = math.inf
        if not math.isfinite(number):
            raise DocumentError(self.at(name), f"expected a finite number of float64, got {str(value)[:40]}")
        return number

    def items(self, name: str, default: object = _REQUIRED, *, most: int) -> list[object]:
        value = self.take(name, default)
        if not isinstance(value, list):
            raise DocumentError(self.at(name), f"expected a list, got {type(value).__name__}")
        if len(value) > most:
            raise DocumentError(self.at(name), f"has {len(value)} items, {most} are allowed")
        return value

    def integers(self, name: str, default: object = _REQUIRED, *, high: int = 2**62, most: int) -> tuple[int, ...]:
        found = self.items(name, default, most=most)
        return tuple(_integer(item, f"{self.at(name)}[{number}]", high) for number, item in enumerate(found))

    def texts(self, name: str, default: object = _REQUIRED, *, most: int, pattern: str) -> tuple[str, ...]:
        found = self.items(name, default, most=most)
        for number, item in enumerate(found):
            if not isinstance(item, str) or not re.fullmatch(pattern, item, re.ASCII):
                raise DocumentError(f"{self.at(name)}[{number}]", f"{item!r} does not look like {pattern}")
        return tuple(typing.cast("list[str]", found))

    def end(self) -> None:
        unknown = sorted(set(self._values) - set(self._asked))
        if unknown:
            raise DocumentError(self.where, f"unknown field {unknown[0][:80]!r}; there are {', '.join(self._asked)}")


def _integer(value: object, where: str, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= high:
        raise DocumentError(where, f"expected a whole number from 0 to {high}, got {value!r}")
    return value

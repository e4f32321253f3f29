"""Strict readers of environment variables: a wrong value stops the start with a sentence that names the variable."""

from __future__ import annotations

import os
from pathlib import Path


class EnvError(ValueError):
    """An environment variable holds something that cannot be used."""


def env_str(name: str, default: str = "") -> str:
    """Value of `name`, or the content of the file named by `name_FILE` (for secrets), else `default`."""
    if file := os.environ.get(f"{name}_FILE"):
        try:
            return Path(file).read_text().strip()
        except OSError as error:
            raise EnvError(f"{name}_FILE names {file!r}, which cannot be read: {error.strerror}") from error
    return os.environ.get(name, default)


def env_int(name: str, default: int, *, low: int | None = None, high: int | None = None) -> int:
    raw = env_str(name)
    if raw == "":
        return default
    try:
        value = int(raw)
    except ValueError:
        raise EnvError(f"{name}={raw!r} is not a whole number") from None
    if (low is not None and value < low) or (high is not None and value > high):
        raise EnvError(f"{name}={value} is outside {low}..{high}")
    return value


def env_bool(name: str, default: bool) -> bool:
    raw = env_str(name).lower()
    if raw == "":
        return default
    if raw in ("1", "true", "yes", "on"):
        return True
    if raw in ("0", "false", "no", "off"):
        return False
    raise EnvError(f"{name}={raw!r} is neither true nor false")


def env_list(name: str, default: list[str]) -> list[str]:
    raw = env_str(name)
    return [part.strip() for part in raw.split(",") if part.strip()] if raw else default

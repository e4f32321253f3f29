"""The checks behind `kb doctor`: each is a generator of findings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kbweb.doctor.calibration import stored
from kbweb.doctor.finding import Finding
from kbweb.doctor.machine import machine
from kbweb.doctor.services import services

__all__ = ["Finding", "findings"]


def findings(data_dir: Path, *, sandbox: bool) -> Iterator[Finding]:
    """All findings, as they are found: this machine and its calibration, its sandbox, the site's services."""
    yield from machine()
    yield from stored(data_dir)
    if sandbox:
        from kbweb.doctor.isolation import isolation

        yield from isolation()
    yield from services(data_dir)

"""What an evaluation may cost: part of the contract (`evaluator/contract.py`)."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable
from dataclasses import dataclass

CONFIRMING = 2.5


@dataclass(frozen=True, slots=True)
class Limits:
    """Wall-clock limits of the stages (seconds) and memory of the candidate (bytes). The judge keeps them.

    `max_memory_mb`: device memory (10^6 bytes) that a kernel may hold at its peak while it is timed; 0 sets no limit but the op's.
    """

    build_s: float = 180.0
    import_s: float = 60.0
    check_s: float = 60.0
    timing_case_s: float = 3.0
    timing_s: float = 120.0
    profile_s: float = 120.0
    memory_bytes: int = 8 * 1024**3
    processes: int = 512
    scratch_bytes: int = 2 * 1024**3
    log_bytes: int = 256 * 1024
    max_memory_mb: int = 0

    def for_confirming(self) -> Limits:
        """The same for a run that confirms a record: its budget a case is 2.5 times as long (`evaluator/timing/stats.py`)."""
        return dataclasses.replace(self, timing_case_s=self.timing_case_s * CONFIRMING, timing_s=self.timing_s * CONFIRMING)

    @classmethod
    def parse(cls, pairs: Iterable[str]) -> Limits:
        """Defaults changed by texts such as `check_s=10`. Raises `ValueError` that names what is wrong."""
        names = {f.name: f.type for f in dataclasses.fields(cls)}
        changed: dict[str, typing.Any] = {}
        for pair in pairs:
            name, _, value = pair.partition("=")
            if name not in names:
                raise ValueError(f"{name!r} is not one of {', '.join(names)}")
            try:
                number = float(value) if name.endswith("_s") else int(value)
            except ValueError:
                raise ValueError(f"{name}={value!r} is not a number") from None
            if not 0 < number < float("inf"):
                raise ValueError(f"{name}={value} must be positive")
            changed[name] = number
        return cls(**changed)

"""An op's definition, as the catalogue stores it, in the shape that its page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One public case. `bytes` and `flops` are the least work of one call; `intensity` is FLOPs per byte.

    `limit_us` is the speed of light on the chosen device, None where its ceilings are not known, and `bound` what it comes from.
    """

    name: str
    inputs: str
    source: str
    bytes: float
    flops: float
    limit_us: float | None = None
    bound: str = ""

    @property
    def intensity(self) -> float | None:
        return self.flops / self.bytes if self.bytes else None


@dataclass(frozen=True, slots=True)
class Contract:
    entry_point: str
    aten: str
    dtypes: tuple[str, ...]
    precision: str
    tolerance: tuple[tuple[str, float], ...]
    strides_policy: str
    writes_to: tuple[str, ...]
    may_alias: bool
    max_memory_mb: int
    exact: bool
    rules: tuple[tuple[int, str], ...]
    random: bool
    description: str
    imported: bool
    reference: str
    starters: tuple[tuple[str, str], ...]
    correctness: tuple[CaseLine, ...]
    performance: tuple[CaseLine, ...]

    @property
    def has_limits(self) -> bool:
        """Whether the chosen device's ceilings are known."""
        return any(case.limit_us is not None for case in self.performance)


def contract(definition: Mapping[str, object], device: str) -> Contract:
    """The contract with the cases of one device."""
    cases = _mapping(definition.get("cases")).get(device, [])
    lines = [(str(case.get("kind")), _line(case)) for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []
    tolerance = _mapping(definition.get("tolerance"))
    dtypes = definition.get("dtypes")
    return Contract(
        entry_point=str(definition.get("entry_point", "")),
        aten=str(definition.get("aten", "")),
        dtypes=tuple(map(str, dtypes)) if isinstance(dtypes, list) else (),
        precision=str(definition.get("precision", "")),
        tolerance=tuple((dtype, value) for dtype, value in tolerance.items() if isinstance(value, float)),
        strides_policy=str(definition.get("strides_policy", "")),
        writes_to=tuple(map(str, writes_to)) if isinstance(writes_to := definition.get("writes_to"), list) else (),
        may_alias=bool(definition.get("may_alias")),
        max_memory_mb=most if isinstance(most := definition.get("max_memory_mb"), int) else 0,
        exact=definition.get("compare") == "exact",
        rules=tuple((int(number), str(text)) for number, text in _mapping(definition.get("rules")).items() if text),
        random=bool(definition.get("random")),
        description=str(definition.get("description", "")),
        imported=bool(definition.get("imported")),
        reference=str(definition.get("reference", "")),
        starters=tuple((kind, str(text)) for kind, text in _mapping(definition.get("starters")).items()),
        correctness=tuple(line for kind, line in lines if kind == "correctness"),
        performance=tuple(line for kind, line in lines if kind == "performance"),
    )


def _line(case: Mapping[str, object]) -> CaseLine:
    def number(name: str) -> float:
        value = case.get(name)
        return float(value) if isinstance(value, (int, float)) else 0.0

    return CaseLine(
        name=str(case.get("name", "")),
        inputs=str(case.get("inputs", "")),
        source=str(case.get("source", "")),
        bytes=number("bytes"),
        flops=number("flops"),
        limit_us=number("limit_us") or None,
        bound=str(case.get("bound", "")),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}

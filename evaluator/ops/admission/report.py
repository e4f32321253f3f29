"""What came of an import: the ops, and everything that was not used, with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.jsonable import JSON
from evaluator.ops.admission.admit import Admitted


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something of a source that was not used: where it stands (`file:line`, or an op), and why."""

    where: str
    reason: str

    def as_json(self) -> JSON:
        return {"where": self.where, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Report:
    """`refused`: ops, whole. `unused`: lines and rows of the source."""

    suite: str
    admitted: tuple[Admitted, ...]
    refused: tuple[Complaint, ...] = ()
    unused: tuple[Complaint, ...] = ()

    def as_json(self) -> dict[str, JSON]:
        """An ops file (`evaluator/ops/recorded/files.py`) that also says what is not in it."""
        dropped: list[JSON] = [
            {"op": each.recorded.slug, "case": case.case, "reason": case.reason} for each in self.admitted for case in each.dropped
        ]
        return {
            "suite": self.suite,
            "ops": [each.document for each in self.admitted],
            "refused": [each.as_json() for each in self.refused],
            "dropped": dropped,
            "unused": [each.as_json() for each in self.unused],
        }

    def lines(self) -> Iterator[str]:
        """For a terminal."""
        for each in self.admitted:
            kinds = [one.case.kind for one in each.recorded.cases]
            checked, timed = kinds.count("correctness"), kinds.count("performance")
            yield f"loaded   {each.recorded.slug}: {checked} correctness and {timed} performance cases"
            yield from (f"           without case {case.case}: {case.reason}" for case in each.dropped)
        yield from (f"refused  {each.where}: {each.reason}" for each in self.refused)
        yield from (f"unused   {each.where}: {each.reason}" for each in self.unused)
        yield f"{len(self.admitted)} ops loaded, {len(self.refused)} refused, {len(self.unused)} lines unused"

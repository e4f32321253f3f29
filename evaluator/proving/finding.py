"""What was found out about one op under one kernel."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Status(enum.StrEnum):
    """`accepted`, `refused`: a right kernel. `killed`, `survived`, `same`: a wrong one; `same` gives torch's very bits on every case, and
    `reason` says why nobody could expect anything else, or is empty when the cases are to blame.
    """

    ACCEPTED = "accepted"
    REFUSED = "refused"
    KILLED = "killed"
    SURVIVED = "survived"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Finding:
    """One op under one kernel: `torch`, `starter triton`, or a mutant's name; `kind` gathers mutants of one sort. `case` is the one that
    decided.
    """

    op: str
    kernel: str
    kind: str
    status: Status
    case: str = ""
    verdict: str = ""
    reason: str = ""
    cases: int = 0
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether it is as it must be."""
        return self.status in (Status.ACCEPTED, Status.KILLED) or (self.status is Status.SAME and bool(self.reason))

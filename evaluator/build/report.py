"""What a build says: plain data that survives JSON, cached and stored as it is."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.contract import Flag, KernelType, Reason, Verdict


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Result of building one source. `source` is what the candidate loads: the author's text, imports added where they were missing.

    `callables` are the functions and classes found in the text; `notes` are labels and remarks for readers, one sentence each;
    `key` names it in the artefact store; `cached` says that it was built earlier.
    """

    key: str
    kernel_type: KernelType
    ok: bool
    entry_point: str
    source: str
    callables: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    log: str = ""
    verdict: Verdict | None = None
    reason: Reason | None = None
    seconds: float = 0.0
    cached: bool = False

    def __post_init__(self) -> None:
        if self.ok != (self.verdict is None) or self.ok != (self.reason is None):
            raise ValueError("a build that failed has a verdict and a reason, one that succeeded has neither")

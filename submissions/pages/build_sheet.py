"""What the build said: entry point, remarks, the compiler's output, and what is known of registers and spills."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.build import BuildReport
from evaluator.contract import Outcome, from_json
from evaluator.profiles import KernelCode
from submissions.models import Evaluation


@dataclass(frozen=True, slots=True)
class BuildSheet:
    """`report` is None where the build ended it, or a worker of another version wrote it: then the rest may be all there is."""

    report: BuildReport | None
    notes: tuple[str, ...]
    kernels: tuple[KernelCode, ...]

    @property
    def others(self) -> list[str]:
        """Functions and classes beside the entry point."""
        return [name for name in self.report.callables if name != self.report.entry_point] if self.report is not None else []

    @property
    def spills(self) -> bool:
        """Whether a kernel that ran keeps values in memory for want of registers."""
        ran = (kernel for kernel in self.kernels if kernel.launched is not False)
        return any(kernel.spill_store_bytes or kernel.spill_load_bytes for kernel in ran)


def build_sheet(evaluation: Evaluation, outcome: Outcome | None, notes: tuple[str, ...]) -> BuildSheet | None:
    """None where nothing is known. For those alone who may read the source: remarks and output quote it."""
    report = None
    if evaluation.build:
        try:
            report = from_json(BuildReport, evaluation.build)
        except (TypeError, ValueError):
            report = None
    kernels = outcome.profile.code if outcome is not None and outcome.profile is not None else ()
    # Remarks of the build were events, too; those of later stages were events only.
    said = tuple(dict.fromkeys([*(report.notes if report is not None else ()), *notes]))
    return BuildSheet(report, said, kernels) if report is not None or said or kernels else None

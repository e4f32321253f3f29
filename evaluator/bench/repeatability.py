"""A/A: torch's op against itself through the whole judge, every run with a fresh candidate and fresh inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluator.bench.results import Distribution, RepeatedCase, Sequential, Verdicts
from evaluator.bench.settings import SOURCES, Settings
from evaluator.contract import JSON, CaseTiming, EvaluationRequest, Event, KernelType, Mode, Outcome, Verdict
from evaluator.runners.local import LocalRunner
from evaluator.timing.stats import RatioEstimate


@dataclass(frozen=True, slots=True)
class Subject:
    """What is handed in again and again. `definition` is the op itself where the registry has none of that name."""

    op: str
    source: str
    kernel_type: KernelType = KernelType.TORCH
    definition: dict[str, JSON] | None = None


@dataclass
class OneRun:
    """One evaluation. `claimed` is by the kernel's clock: in the outcome of a suspect run the judge's figure has taken its place."""

    op: str
    outcome: Outcome
    claimed: Mapping[str, RatioEstimate]


@dataclass
class Repeatability:
    """Collects runs; `cases()` and `verdicts()` say what they come to."""

    settings: Settings
    subjects: Sequence[Subject]
    repeats: int
    runs: list[OneRun] = field(default_factory=list)

    def measure(self, runner: LocalRunner, progress: Callable[[str], None]) -> None:
        """Raises `RunnerError`."""
        for number in range(self.repeats):
            for subject in self.subjects:
                run = self._one(runner, subject)
                self.runs.append(run)
                ratios = ", ".join(f"{case} {estimate.median:.4f} ± {estimate.half_width:.2%}" for case, estimate in run.claimed.items())
                progress(f"A/A {number + 1}/{self.repeats} {subject.op}: {run.outcome.verdict} {ratios}")

    def _one(self, runner: LocalRunner, subject: Subject) -> OneRun:
        claimed: dict[str, RatioEstimate] = {}

        def note(event: Event) -> None:
            if event.kind == "timing":
                speedup, low, high = (float(str(event.data[name])) for name in ("speedup", "low", "high"))
                claimed[str(event.data["case"])] = RatioEstimate(speedup, low, high)

        request = EvaluationRequest(
            subject.op,
            subject.source,
            subject.kernel_type,
            self.settings.device,
            Mode.BENCHMARK,
            limits=self.settings.limits,
            definition=subject.definition,
        )
        return OneRun(subject.op, runner.run(request, on_event=note), claimed)

    def timings(self) -> list[Mapping[str, CaseTiming]]:
        """The timed cases of each run, by name."""
        return [_timings(run) for run in self.runs]

    def verdicts(self) -> Verdicts:
        found = [run.outcome.verdict for run in self.runs]
        others = [
            f"{run.op}: {run.outcome.verdict}: {'; '.join(reason.message for reason in run.outcome.reasons)}"
            for run in self.runs
            if run.outcome.verdict is not Verdict.ACCEPTED
        ]
        audited = sum(timing.audit_speedup is not None for run in self.runs for timing in _timings(run).values())
        return Verdicts(len(found), found.count(Verdict.ACCEPTED), found.count(Verdict.SUSPECT), audited, tuple(others))

    def cases(self, sequential: Mapping[tuple[str, str], Sequential]) -> tuple[RepeatedCase, ...]:
        """One row for each case that some run has timed. `sequential` holds the other method's rows by (op, case)."""
        names = dict.fromkeys((run.op, case) for run in self.runs for case in _timings(run))
        return tuple(self._case(op, case, sequential.get((op, case))) for op, case in names)

    def _case(self, op: str, case: str, sequential: Sequential | None) -> RepeatedCase:
        runs = [run for run in self.runs if run.op == op and case in _timings(run)]
        timings = [_timings(run)[case] for run in runs]
        claimed = [run.claimed[case] for run in runs]
        audits = [t.audit_speedup / c.median for t, c in zip(timings, claimed, strict=True) if t.audit_speedup is not None]
        return RepeatedCase(
            op=op,
            case=case,
            method=timings[0].method,
            ratio=Distribution.of([c.median for c in claimed]),
            half_width=Distribution.of([c.half_width for c in claimed]),
            candidate_cv=Distribution.of([t.candidate.cv for t in timings]),
            baseline_cv=Distribution.of([t.baseline.cv for t in timings]),
            candidate_us=Distribution.of([t.candidate.median_us for t in timings]),
            quads=Distribution.of([t.quads for t in timings]),
            seconds=Distribution.of([run.outcome.stage_seconds.get("timing", 0.0) / len(_timings(run)) for run in runs]),
            audit=Distribution.of(audits) if audits else None,
            sequential=sequential,
        )


def of_torch(settings: Settings) -> list[Subject]:
    """Torch's own ops as submissions."""
    return [Subject(op, SOURCES[op]) for op in settings.ops]


def _timings(run: OneRun) -> dict[str, CaseTiming]:
    return {case.name: case.timing for case in run.outcome.cases if case.timing is not None}

"""The judge's times beside those of Nsight Compute (`gpu__time_duration`), for kernels long enough to compare."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.bench import products
from evaluator.bench.results import Agreement
from evaluator.bench.settings import Settings
from evaluator.contract import EvaluationRequest, KernelType, Mode
from evaluator.runners.local import LocalRunner

TOOL = "ncu"


def measure(settings: Settings, runner: LocalRunner, progress: Callable[[str], None]) -> tuple[Agreement, ...]:
    """One row for each length; where Nsight Compute cannot be had, the row says why. None on a CPU. Raises `RunnerError`."""
    if settings.torch_device == "cpu":
        return ()
    return tuple(_row(settings, length, runner, progress) for length in settings.agreed_us)


def _row(settings: Settings, length_us: float, runner: LocalRunner, progress: Callable[[str], None]) -> Agreement:
    op = products.op(settings.device, (length_us,))
    request = EvaluationRequest(
        op.slug,
        products.SOURCE,
        KernelType.TORCH,
        settings.device,
        Mode.PROFILE,
        limits=settings.limits,
        definition=products.definition(op),
    )
    outcome = runner.run(request)
    timings = [case.timing for case in outcome.cases if case.timing is not None]
    ours = timings[0].candidate.median_us if timings else None
    profile = outcome.profile
    report = next((tool for tool in profile.tools if tool.tool == TOOL), None) if profile else None
    theirs = [kernel.duration_us for kernel in profile.kernels if kernel.duration_us] if profile else []
    why = "" if theirs else (report.why if report else f"the evaluation ended as {outcome.verdict}")
    row = Agreement(products.label(length_us), ours, sum(theirs) if theirs else None, why)
    progress(f"agreement {row.case}: {row.ours_us} µs, Nsight Compute {row.ncu_us or row.why}")
    return row

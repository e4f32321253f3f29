"""How small a difference is seen: kernels with planted extra work against the same kernel without, in fresh processes."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.bench import products
from evaluator.bench.repeatability import Repeatability, Subject
from evaluator.bench.results import Distribution, Resolution
from evaluator.bench.settings import Settings
from evaluator.contract import CaseTiming, KernelType
from evaluator.runners.local import LocalRunner

PLANTED = (0.01, 0.02, 0.05)


def measure(settings: Settings, runner: LocalRunner, progress: Callable[[str], None]) -> tuple[Resolution, ...]:
    """One row for each case and planted share. None on a CPU, where Triton is interpreted. Raises `RunnerError`."""
    if settings.interprets_triton:
        return ()
    op = products.op(settings.device, settings.resolved_us)
    kernels = {
        extra: Repeatability(settings, [Subject(op.slug, products.slowed(extra), KernelType.TRITON, products.definition(op))], 1)
        for extra in (0.0, *PLANTED)
    }
    for _ in range(settings.repeats):  # turn by turn, so that a slow drift of the machine meets all of them
        for kernel in kernels.values():
            kernel.measure(runner, progress)
    names = [case.name for case in op.performance_cases(settings.device)]
    return tuple(found for name in names for extra in PLANTED if (found := row(name, extra, kernels[0.0], kernels[extra])) is not None)


def row(case: str, extra: float, plain: Repeatability, slow: Repeatability) -> Resolution | None:
    """What pairs of runs of one case come to; None without any."""
    pairs = [(a[case], b[case]) for a, b in zip(plain.timings(), slow.timings(), strict=True) if case in a and case in b]
    if not pairs:
        return None
    return Resolution(
        case=case,
        planted=extra,
        pairs=len(pairs),
        seen=Distribution.of([a.speedup / b.speedup - 1 for a, b in pairs]),
        right=sum(a.speedup > b.speedup for a, b in pairs),
        apart=sum(_apart(a, b) for a, b in pairs),
    )


def _apart(plain: CaseTiming, slow: CaseTiming) -> bool:
    """Whether the intervals do not touch: on a board they would stand in different bands."""
    return plain.low > slow.high

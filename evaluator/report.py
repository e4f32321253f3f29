"""An evaluation in lines of text for a terminal. The `name: value` lines at the end are meant for optimisers that parse them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evaluator.contract import CaseResult, CaseTiming, Event, Outcome, from_json
from evaluator.diagnosis import patterns, worst_first
from evaluator.profiling.report import profile_lines

SHOWN_CASES = 3


def event_line(event: Event) -> str:
    """One line for an event; "" for those that are not worth one."""
    if event.kind == "stage":
        return f"— {event.data['stage']}"
    if event.kind == "case":
        return case_line(from_json(CaseResult, event.data))
    if event.kind == "note":
        return f"note: {event.data['text']}"
    return ""


def case_line(case: CaseResult) -> str:
    mark = "ok  " if case.passed else "FAIL"
    if case.timing is not None:
        return f"{mark} {case.name:16} {_timing(case.timing)}"
    error = (
        f"rel. error {case.rel_l2:.1e} of {case.tolerance:.1e} allowed" if case.rel_l2 is not None and case.tolerance is not None else ""
    )
    return f"{mark} {case.name:16} {error if case.passed else (case.reason or str(case.verdict)).splitlines()[0]}"


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """The verdict, why, and what was measured."""
    yield ""
    flags = f"  [{', '.join(outcome.flags)}]" if outcome.flags else ""
    yield f"verdict: {outcome.verdict}{flags}"
    for reason in outcome.reasons:
        yield f"  {reason.message}"
        yield from (f"    {line}" for line in reason.detail.splitlines())
        if reason.hint:
            yield f"  → {reason.hint}"
    failed = [case for case in worst_first(outcome.cases) if not case.passed]
    for case in failed[:SHOWN_CASES]:
        yield from _failure(case)
    if len(failed) > SHOWN_CASES:
        yield f"  also failed: {', '.join(case.name for case in failed[SHOWN_CASES:])}"
    if outcome.log:
        yield "  output:"
        yield from (f"    {line}" for line in outcome.log.splitlines()[-20:])
    yield f"policy: {outcome.policy}"
    yield "stages: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in outcome.stage_seconds.items())
    missing = [layer for layer, status in outcome.sandbox.items() if not str(status).startswith("active")]
    yield f"sandbox: {len(outcome.sandbox) - len(missing)} layers active" + (f", without {', '.join(missing)}" if missing else "")
    if outcome.correctness_score is not None:
        yield f"correctness_score: {outcome.correctness_score:.4f}"
    if outcome.timing is not None:
        timing = outcome.timing
        yield f"speedup: {timing.speedup:.4f} [{timing.low:.4f}, {timing.high:.4f}]"
        yield f"baseline_ms: {timing.baseline_us / 1e3:.6f}"
        yield f"optimized_ms: {timing.candidate_us / 1e3:.6f}"
        yield f"kernel_time_ms: {timing.candidate_us / 1e3:.6f}"
    peaks = [c.timing.peak_memory_bytes for c in outcome.cases if c.timing is not None and c.timing.peak_memory_bytes]
    if peaks:
        yield f"peak_memory_mb: {max(peaks) / 1e6:.1f}"
    if outcome.profile is not None:
        yield from profile_lines(outcome.profile)


def _failure(case: CaseResult) -> Iterator[str]:
    """A failed case with its first wrong elements and the command that repeats it."""
    yield f"  {case.name}: {case.inputs}" + (f", seed {case.seed}" if case.seed is not None else "")
    if case.rel_l2 is not None and case.tolerance is not None:
        own = f", torch's own {case.rel_l2_torch:.2e}" if case.rel_l2_torch is not None else ""
        yield f"    rel. error {case.rel_l2:.2e} of {case.tolerance:.2e} allowed{own}"
    yield from (f"    {pattern}" for pattern in patterns(case))
    for wrong in case.mismatches:
        ulp = f" ({wrong.ulp:.3g} ulp)" if wrong.ulp is not None else ""
        yield f"    {list(wrong.index)}: expected {wrong.expected}, got {wrong.got}{ulp}"
    if case.reproduce:
        yield f"    reproduce: {case.reproduce}"


def _timing(timing: CaseTiming) -> str:
    digits = max(0, 2 - math.floor(math.log10(timing.candidate.median_us)))
    text = f"{timing.candidate.median_us:.{digits}f} µs, torch {timing.baseline.median_us:.{digits}f} µs, "
    text += f"{timing.speedup:.3f}× [{timing.low:.3f}, {timing.high:.3f}]"
    if timing.gb_per_s is not None:
        text += f", {timing.gb_per_s:.1f} GB/s"
    text += "".join(f", {share}" for share in _shares(timing))
    how = f"{timing.quads} quads, {timing.stop_reason}" if timing.quads else f"{timing.method}: each side alone, not ranked"
    return f"{text} ({how})"


def _shares(timing: CaseTiming) -> Iterator[str]:
    """How near the limits the case came, and what bounds it there."""
    limit = timing.limit
    if limit is None:
        return
    if limit.table is not None and limit.table.share is not None:
        yield f"{100 * limit.table.share:.0f} % of the speed of light ({limit.table.bound})"
    if limit.calibrated is not None and limit.calibrated.share is not None:
        yield f"{100 * limit.calibrated.share:.0f} % of what was measured here ({limit.calibrated.bound})"
    if limit.uncapped_speedup is not None:
        yield f"capped from {limit.uncapped_speedup:.3f}×"

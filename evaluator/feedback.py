"""An outcome as Markdown for a language model that is to write the next attempt: what failed, on which inputs, what to try, how fast.

Hidden cases appear without inputs and figures, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evaluator.contract import CaseResult, CaseTiming, Mode, Outcome, Reason, Verdict
from evaluator.diagnosis import patterns, worst_first
from evaluator.profiling.report import profile_lines

SHOWN_CASES = 5
DETAIL_CHARACTERS = 6_000
LOG_CHARACTERS = 2_000
NEAR_THE_LIMIT = 0.8
SLOW = 0.3


def feedback(outcome: Outcome) -> str:
    """A Markdown document of a few thousand characters at most."""
    return "\n".join(_lines(outcome)).rstrip() + "\n"


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"# {outcome.op} on {outcome.device}: {outcome.verdict}"
    yield ""
    yield from _summary(outcome)
    for reason in outcome.reasons:
        yield from _reason(reason)
    failed = [case for case in worst_first(outcome.cases) if not case.passed]
    if failed:
        yield from _failures(failed, {reason.detail for reason in outcome.reasons})
    timed = [case for case in outcome.cases if case.timing is not None]
    if timed:
        yield from _performance(timed)
    if outcome.profile is not None:
        yield from ("", "## Profile", "", *_fenced(_cut("\n".join(profile_lines(outcome.profile)), DETAIL_CHARACTERS)))
    yield from _next(outcome, failed, timed)
    if outcome.log.strip():
        yield from ("", "## What it printed", "", *_fenced(_cut(outcome.log, LOG_CHARACTERS)))


def _summary(outcome: Outcome) -> Iterator[str]:
    passed = sum(case.passed for case in outcome.cases if case.kind == "correctness")
    total = sum(case.kind == "correctness" for case in outcome.cases)
    parts = [f"kernel type {outcome.kernel_type}", f"mode {outcome.mode}", f"ended in stage {outcome.stage}"]
    yield f"- {', '.join(parts)}"
    if outcome.correctness_score is not None:
        yield f"- correctness_score {outcome.correctness_score:.4f} ({passed} of {total} judged cases passed)"
    if outcome.timing is not None:
        timing = outcome.timing
        interval = f"95 % interval {timing.low:.3f}x to {timing.high:.3f}x"
        yield f"- speedup over torch eager {timing.speedup:.3f}x, {interval} (geometric mean of {timing.cases} cases)"
    if outcome.flags:
        yield f"- flags: {', '.join(outcome.flags)}"


def _reason(reason: Reason) -> Iterator[str]:
    yield from ("", "## Why", "", f"`{reason.code}`: {reason.message}")
    if reason.hint:
        yield from ("", f"What to do: {reason.hint}")
    if reason.detail:
        yield from ("", *_fenced(_cut(reason.detail, DETAIL_CHARACTERS)))


def _failures(failed: Sequence[CaseResult], told: set[str]) -> Iterator[str]:
    """Each error once: of cases that raised the same, the first. Tracebacks in `told` stand above."""
    yield from ("", f"## Failed cases ({len(failed)}), worst first")
    first_with = {case.reason: case for case in reversed(failed) if case.reason and not case.mismatches}
    distinct = [case for case in failed if first_with.get(case.reason, case) is case]
    shown = distinct[:SHOWN_CASES]
    for case in shown:
        yield from ("", f"### {case.name}")
        yield ""
        if case.hidden:
            yield "A hidden case: its shapes are drawn anew for each evaluation. Handle any size and any strides."
            continue
        first, _, detail = case.reason.partition("\n")
        yield f"- {case.verdict}: {first}"
        yield f"- inputs: `{case.inputs}`"
        yield from _errors(case)
        yield from (f"- {pattern}" for pattern in patterns(case))
        if case.reproduce:
            yield f"- reproduce: `{case.reproduce}`"
        if detail and detail not in told:
            yield from ("", *_fenced(_cut(detail, DETAIL_CHARACTERS)))
        yield from _elements(case)
    if others := [case.name for case in failed if case not in shown]:
        yield from ("", f"Also failed: {', '.join(others)}.")


def _errors(case: CaseResult) -> Iterator[str]:
    figures = [
        ("relative L2 error", case.rel_l2),
        ("allowed", case.tolerance),
        ("torch's own", case.rel_l2_torch),
        ("largest absolute error", case.max_abs),
        ("largest relative error", case.max_rel),
    ]
    said = [f"{name} {value:.3g}" for name, value in figures if value is not None]
    if case.mismatch_share:
        said.append(f"{100 * case.mismatch_share:.3g} % of the elements wrong")
    if said:
        yield f"- {', '.join(said)}"


def _elements(case: CaseResult) -> Iterator[str]:
    if not case.mismatches:
        return
    yield from ("", "| index | expected | got | ulp |", "| --- | --- | --- | --- |")
    for wrong in case.mismatches:
        ulp = f"{wrong.ulp:.3g}" if wrong.ulp is not None else ""
        yield f"| {list(wrong.index)} | {wrong.expected} | {wrong.got} | {ulp} |"


def _performance(timed: Sequence[CaseResult]) -> Iterator[str]:
    yield from ("", "## Time, slowest against torch first", "")
    yield "| case | inputs | time (µs) | torch eager (µs) | speedup | 95 % interval | GB/s | TFLOP/s | of the speed of light |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for case in sorted(timed, key=lambda c: c.timing.speedup if c.timing else 0.0):
        if case.timing is not None:
            yield _timing(case, case.timing)


def _timing(case: CaseResult, timing: CaseTiming) -> str:
    cells = [
        case.name,
        f"`{case.inputs}`",
        f"{timing.candidate.median_us:.4g}",
        f"{timing.baseline.median_us:.4g}",
        f"{timing.speedup:.3f}x",
        f"{timing.low:.3f} to {timing.high:.3f}",
        f"{timing.gb_per_s:.4g}" if timing.gb_per_s is not None else "",
        f"{timing.tflop_per_s:.4g}" if timing.tflop_per_s is not None else "",
        _share(timing),
    ]
    return f"| {' | '.join(cells)} |"


def _share(timing: CaseTiming) -> str:
    """Of the table's speed of light with what bounds the case there; where the table knows nothing, of what was measured."""
    limit = timing.limit
    if limit is not None and limit.table is None and limit.calibrated is not None and limit.calibrated.share is not None:
        return f"{100 * limit.calibrated.share:.0f} % of what was measured ({limit.calibrated.bound})"
    if timing.sol_share is None:
        return ""
    return f"{100 * timing.sol_share:.0f} %" + (f" ({limit.table.bound})" if limit is not None and limit.table is not None else "")


def _next(outcome: Outcome, failed: Sequence[CaseResult], timed: Sequence[CaseResult]) -> Iterator[str]:
    """What to try, from what was measured."""
    yield from ("", "## Next", "")
    if outcome.verdict is Verdict.INFRA_ERROR:
        yield "- The judge's machinery failed, not the kernel. Hand in the same source again."
    elif outcome.verdict is Verdict.CANCELLED:
        yield "- It was stopped before a verdict. Hand it in again."
    elif outcome.verdict is Verdict.SUSPECT:
        yield "- A person looks at it. Do not cache results, defer work or use streams that are not joined before the call returns."
    elif failed:
        yield f"- Make `{failed[0].name}` pass first; run its command after each change, it takes seconds."
        if any(case.hidden for case in failed):
            yield "- Test sizes that no power of two divides, sizes of 1, and non-contiguous inputs."
    elif outcome.verdict is not Verdict.ACCEPTED:
        yield "- Correct what the reason names and hand the source in again."
    elif not timed and outcome.mode is not Mode.TEST:
        yield "- Correct on every case. It was not timed: one case alone was asked for, or the op has no performance case on this device."
    elif not timed:
        yield "- Correct on every case. It was not timed: hand it in with mode `benchmark` or `ranked`."
    else:
        yield from _faster(timed)


def _faster(timed: Sequence[CaseResult]) -> Iterator[str]:
    slowest = min(timed, key=lambda case: case.timing.speedup if case.timing else math.inf)
    assert slowest.timing is not None
    yield f"- Correct on every case. `{slowest.name}` gains least: {slowest.timing.speedup:.3f}x."
    shares = [(case.timing.sol_share, case.name) for case in timed if case.timing and case.timing.sol_share is not None]
    for share, name in shares:
        at = f"- `{name}` runs at {100 * share:.0f} % of what the hardware can do"
        if share >= NEAR_THE_LIMIT:
            yield f"{at}: there is little left."
        elif share < SLOW:
            yield f"{at}: look at memory access, occupancy and launch overhead."


def _fenced(text: str) -> Iterator[str]:
    """A code block whose fence is longer than any run of backticks inside."""
    fence = "`" * max(3, _longest_run(text) + 1)
    yield from (f"{fence}text", text.rstrip("\n"), fence)


def _longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def _cut(text: str, characters: int) -> str:
    """The text with its middle left out when it is longer."""
    if len(text) <= characters:
        return text
    return f"{text[: characters // 2]}\n… ({len(text) - characters} characters left out) …\n{text[-(characters // 2) :]}"

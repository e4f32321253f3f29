"""A report as Markdown: a heading, where it comes from, and one table for each measurement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.bench.results import (
    Agreement,
    ChannelCost,
    CheckingCost,
    Distribution,
    RepeatedCase,
    Report,
    Resolution,
    StageSplit,
    Verdicts,
)

STAGES = ("building", "importing", "checking", "timing")
WORDS = ("torch", "triton", "cuda", "driver", "python", "os", "cores", "evaluator")
"""What the line below the heading tells of the environment."""


def markdown(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# Bench on {report.device_name} ({report.device})"
    yield ""
    facts = [f"{word} {report.environment[word]}" for word in WORDS if report.environment.get(word) is not None]
    yield f"{report.taken_at}, {report.repeats} runs a case, {report.seconds:.0f} s; {', '.join(facts)}."
    if report.figures_from == "cpu":
        yield ""
        yield "**Figures from a CPU**: they say nothing about a GPU."
    if report.quick:
        yield ""
        yield "**Quick**: too few and too short runs to mean much."
    yield from _section("A/A: torch's op against itself", _repeatability(report.repeatability))
    yield from _section("The same by two sequential measurements", _sequential(report.repeatability))
    yield from _section("A/A by length, each run in a fresh process", _repeatability(report.lengths))
    yield from _section("The same lengths by two sequential measurements", _sequential(report.lengths))
    yield from _section("Planted slowdowns", _resolution(report.resolution))
    yield from _section("Agreement with Nsight Compute, µs", _agreement(report.agreement))
    yield from _section("Cost of timing one case", _cost((*report.repeatability, *report.lengths)))
    yield from _section("Audit: ratio by the judge's clock over the claimed one", _audit((*report.repeatability, *report.lengths)))
    if report.verdicts.runs:
        yield ""
        yield from _verdicts(report.verdicts)
    yield from _section("From hand-in to outcome, seconds (median)", _stages(report.stages))
    if report.channel is not None:
        yield from _section("Channel", _channel(report.channel))
    yield from _section("Checking one call, milliseconds (median)", _checking(report.checking))
    yield from _section("Environment", _environment(report))


def _section(title: str, rows: Iterator[Sequence[str]]) -> Iterator[str]:
    """Nothing where there are no rows below the first."""
    first, *rest = rows
    if not rest:
        return
    yield ""
    yield f"## {title}"
    yield ""
    for number, row in enumerate((first, ["---"] * len(first), *rest)):
        yield ("|" if number == 1 else "| ") + ("|" if number == 1 else " | ").join(row) + ("|" if number == 1 else " |")


def _repeatability(cases: Sequence[RepeatedCase]) -> Iterator[Sequence[str]]:
    yield "op", "case", "clock", "µs", "median ratio", "spread", "CV", "CI half-width", "CV within, submission", "torch", "quads"
    for c in cases:
        widths = _percent(c.half_width.median), _percent(c.candidate_cv.median), _percent(c.baseline_cv.median)
        ratio = f"{c.ratio.median:.4f}", _percent(c.ratio.spread), _percent(c.ratio.cv)
        yield c.op, c.case, c.method, _number(c.candidate_us.median), *ratio, *widths, f"{c.quads.median:.0f}"


def _sequential(cases: Sequence[RepeatedCase]) -> Iterator[Sequence[str]]:
    yield "op", "case", "method", "µs", "median ratio", "spread", "CV", "CV within", "spread of ABBA"
    for c in cases:
        s = c.sequential
        if s is not None:
            ratio = f"{s.ratio.median:.4f}", _percent(s.ratio.spread), _percent(s.ratio.cv)
            yield c.op, c.case, s.method, _number(s.time_us.median), *ratio, _percent(s.cv.median), _percent(c.ratio.spread)


def _resolution(rows: Sequence[Resolution]) -> Iterator[Sequence[str]]:
    yield "case", "planted", "seen (median)", "seen, from", "to", "pairs", "ranked right", "intervals apart"
    for row in rows:
        seen = (_percent(value) for value in (row.seen.median, row.seen.low, row.seen.high))
        yield row.case, _percent(row.planted), *seen, str(row.pairs), _percent(row.right / row.pairs), _percent(row.apart / row.pairs)


def _agreement(rows: Sequence[Agreement]) -> Iterator[Sequence[str]]:
    yield "case", "judge", "Nsight Compute", "difference"
    for row in rows:
        if row.ours_us is None or row.ncu_us is None:
            yield row.case, "–" if row.ours_us is None else _number(row.ours_us), f"unavailable: {row.why}", "–"
        else:
            yield row.case, _number(row.ours_us), _number(row.ncu_us), _percent(row.ours_us / row.ncu_us - 1)


def _cost(cases: Sequence[RepeatedCase]) -> Iterator[Sequence[str]]:
    yield "op", "case", "ABBA, s", "its spread", "other method, s", "its spread", "runs of the other for the same spread, s"
    for c in cases:
        if c.sequential is None or not c.ratio.spread:
            continue
        runs = max(1.0, (c.sequential.ratio.spread / c.ratio.spread) ** 2)  # a mean of n runs spreads by the root of n less
        ours, theirs = f"{c.seconds.median:.2f}", f"{2 * c.sequential.seconds:.2f}"
        yield (
            c.op,
            c.case,
            ours,
            _percent(c.ratio.spread),
            theirs,
            _percent(c.sequential.ratio.spread),
            f"{2 * c.sequential.seconds * runs:.2f}",
        )


def _audit(cases: Sequence[RepeatedCase]) -> Iterator[Sequence[str]]:
    yield "op", "case", "runs", "median", "p5", "p95", "lowest", "highest"
    for c in cases:
        if c.audit is None:
            yield c.op, c.case, "0", *["too short to audit" if n == 0 else "" for n in range(5)]
        else:
            a = c.audit
            yield c.op, c.case, str(a.n), *(f"{value:.4f}" for value in (a.median, a.p5, a.p95, a.low, a.high))


def _verdicts(verdicts: Verdicts) -> Iterator[str]:
    yield (
        f"{verdicts.runs} A/A runs: {verdicts.accepted} accepted, {verdicts.suspect} falsely suspect "
        f"({_percent(verdicts.suspect_share)}), {verdicts.audited_cases} audited cases."
    )
    if verdicts.others:
        yield ""
        yield from (f"- {other}" for other in verdicts.others)


def _environment(report: Report) -> Iterator[Sequence[str]]:
    yield "what", "value"
    for name, value in sorted(report.environment.items()):
        facts = {f"{name}, {inner}": each for inner, each in value.items()} if isinstance(value, dict) else {name: value}
        yield from ((each, str(what)) for each, what in facts.items() if what is not None)
    yield from ((f"sandbox, {layer}", str(state)) for layer, state in sorted(report.sandbox.items()))


def _stages(splits: Sequence[StageSplit]) -> Iterator[Sequence[str]]:
    yield "op", "kernel type", *STAGES, "hand-in → outcome", "slowest", "runs", "verdicts"
    for split in splits:
        kind = f"{split.kernel_type}, interpreted" if split.interpreted else split.kernel_type
        stages = [f"{split.stages_s[name].median:.3f}" if name in split.stages_s else "–" for name in STAGES]
        verdicts = ", ".join(dict.fromkeys(split.verdicts))
        yield split.op, kind, *stages, f"{split.total_s.median:.3f}", f"{split.total_s.high:.3f}", str(split.total_s.n), verdicts


def _channel(channel: ChannelCost) -> Iterator[Sequence[str]]:
    yield "what", "n", "median", "p5", "p95", "highest"
    yield _spread("round trip of an empty command to a sandboxed candidate, µs", channel.candidate_us)
    yield _spread("the same to the baseline, µs", channel.baseline_us)
    yield _spread("start of a spare until ready, s", channel.spare_start_s)


def _checking(costs: Sequence[CheckingCost]) -> Iterator[Sequence[str]]:
    yield "op", "case", "output MB", "make inputs", "oracle", "torch", "compare", "read the output 10 times", "compare / reading"
    for cost in costs:
        parts = (cost.generate_s, cost.oracle_s, cost.torch_s, cost.compare_s, cost.reading_s)
        times = (_number(1e3 * part.median) for part in parts)
        yield cost.op, cost.case, _number(cost.output_bytes / 1e6), *times, f"{cost.compare_over_reading:.2f}"


def _spread(what: str, d: Distribution) -> Sequence[str]:
    return what, str(d.n), *(_number(value) for value in (d.median, d.p5, d.p95, d.high))


def _number(value: float) -> str:
    return f"{value:.1f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"

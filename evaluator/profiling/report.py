"""A profile in lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.profiles import Energy, KernelCode, KernelMetrics, OpTime, Profile, Profiler

SHOWN = 8
_NAME = 48


def profile_lines(profile: Profile) -> Iterator[str]:
    """Each tool with what it found, or why it found nothing; then the names of the files."""
    yield f"profile of case {profile.case}: {profile.inputs}"
    for report in profile.tools:
        yield f"  {report.tool}: {f'{report.seconds:.1f} s' if report.available else f'unavailable: {report.why}'}"
        if report.left_out:
            yield f"    left out: {'; '.join(report.left_out)}"
        if report.tool is Profiler.NCU and profile.sandbox:
            yield f"    in a sandbox of its own: {', '.join(f'{layer} {status}' for layer, status in profile.sandbox.items())}"
    yield from _ops(profile.ops, profile.calls)
    for kernel in profile.kernels[:SHOWN]:
        yield from _metrics(kernel)
    for code in profile.code[:SHOWN]:
        yield _code(code)
    for time in profile.timeline[:SHOWN]:
        yield f"  {time.name[:_NAME]}: {time.launches} launches, {time.total_us:.1f} µs in all, median {time.median_us:.2f} µs"
    if profile.energy is not None:
        yield from _energy(profile.energy)
    for note in profile.artefacts:
        yield f"  artefact {note.name}: {note.kind}, {note.size_bytes} bytes"


def _ops(ops: Sequence[OpTime], calls: int) -> Iterator[str]:
    if ops:
        yield f"  most time, over {calls} call{'s' if calls != 1 else ''}:"
    for op in ops[:SHOWN]:
        own = f"{op.self_cpu_us:.1f} µs on the CPU"
        if op.self_device_us is not None:
            own = f"{op.self_device_us:.1f} µs on the device, {own}"
        yield f"    {op.name[:_NAME]:{_NAME}} {own}, {op.count} times"


def _metrics(kernel: KernelMetrics) -> Iterator[str]:
    took = f", {kernel.duration_us:.2f} µs in all" if kernel.duration_us is not None else ""
    launched = f"{kernel.launches} launch{'es' if kernel.launches != 1 else ''}"
    yield f"  {kernel.name[:_NAME]}: {launched}{took}, grid {kernel.grid}, block {kernel.block}"
    for metric in kernel.metrics:
        yield f"    {metric.group}, {metric.label}: {metric.value:.6g} {metric.unit}".rstrip()


def _code(code: KernelCode) -> str:
    facts = [
        (code.arch, "{}"),
        (code.registers, "{} registers"),
        (code.spill_store_bytes, "{} bytes of spill stores"),
        (code.spill_load_bytes, "{} bytes of spill loads"),
        (code.shared_bytes, "{} bytes of shared memory"),
        (code.num_warps, "{} warps"),
        (code.num_stages, "{} stages"),
    ]
    said = ", ".join(words.format(value) for value, words in facts if value not in (None, ""))
    ran = "" if code.launched is not False else " (compiled, not run)"
    return f"  {code.name[:_NAME]} {code.variant}{ran}: {said}"


def _energy(energy: Energy) -> Iterator[str]:
    yield f"  joules_per_call: {energy.joules_per_call:.6g}"
    yield f"  mean_watts: {energy.mean_watts:.1f}"

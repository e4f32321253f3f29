"""torch's profiler: where the time of a call goes, operator by operator, and a trace that Perfetto and chrome://tracing open."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence

from evaluator.contract import JSON
from evaluator.devices import environment_of
from evaluator.profiles import ArtefactKind, OpTime
from evaluator.profiling import bounded
from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.job import Job
from evaluator.profiling.running import Means, ToolFailed, ask

MODULE = "evaluator.profiling.inside.torch_profiler"
TABLE, TRACE = "torch-profiler.txt", "trace.json.gz"
SHOWN_OPS = 40
MOST_ROWS = 1000
MOST_OPS_BYTES = 1 << 20
MOST_TRACE_BYTES = 16 << 20
MOST_EVENTS = 100_000
_ANSWER_BYTES = MOST_OPS_BYTES + MOST_TRACE_BYTES + (1 << 17)
_ARGUMENTS = 24
_NAME_WIDTH = 60


def look(means: Means, job: Job, shelf: Shelf, timeout_s: float) -> tuple[OpTime, ...]:
    """The slowest operators. Raises `ToolFailed`."""
    answer = ask(
        means,
        MODULE,
        [("question.json", job.question(most_trace_bytes=MOST_TRACE_BYTES))],
        timeout_s=timeout_s,
        answer_bytes=_ANSWER_BYTES,
        job=job,
        env=environment_of(job.device),
    )
    try:
        found = ops(answer.files.get("ops.json", b""), device=job.device)
        shelf.put(TABLE, ArtefactKind.TORCH_TABLE, "\n".join(table(found, job.calls)).encode())
        if raw := answer.files.get("trace.json"):
            packed, cut = trace(raw)
            shelf.put(TRACE, ArtefactKind.CHROME_TRACE, packed)
            if cut:
                shelf.leave_out(f"{TRACE}: its last {cut} events, it has at most {MOST_EVENTS}")
        else:
            shelf.leave_out(f"{TRACE}: the trace has more than {MOST_TRACE_BYTES >> 20} MiB")
    except Unreadable as error:
        raise ToolFailed(f"its answer cannot be read: {error}") from error
    return found[:SHOWN_OPS]


def ops(data: bytes, *, device: str) -> tuple[OpTime, ...]:
    """Rows of `ops.json`, slowest first by their own time on the device. Raises `Unreadable`."""
    rows = bounded.items(bounded.loads(data, MOST_OPS_BYTES), MOST_ROWS)
    found = [row for row in (_op(row, device) for row in rows) if row is not None]
    if not found:
        raise Unreadable("no operators")
    return tuple(sorted(found, key=lambda op: (own_time(op), op.self_cpu_us), reverse=True))


def own_time(op: OpTime) -> float:
    """What a row counts for: time on the device where there is one."""
    return op.self_cpu_us if op.self_device_us is None else op.self_device_us


def _op(row: dict[str, JSON], device: str) -> OpTime | None:
    name, count = bounded.text(row.get("name")), bounded.count(row.get("count"))
    self_cpu, cpu = (bounded.number(row.get(key)) for key in ("self_cpu_us", "cpu_us"))
    if not name or count is None or self_cpu is None or cpu is None:
        return None
    if device == "cpu":
        return OpTime(name, count, self_cpu, cpu)
    return OpTime(name, count, self_cpu, cpu, bounded.number(row.get("self_device_us")) or 0.0, bounded.number(row.get("device_us")) or 0.0)


def table(found: Sequence[OpTime], calls: int) -> Iterator[str]:
    """The operators as text, in microseconds over all calls."""
    on_device = any(op.self_device_us is not None for op in found)
    total = sum(own_time(op) for op in found) or 1.0
    yield f"torch profiler, {calls} call{'s' if calls != 1 else ''}, times in microseconds over all of them"
    yield ""
    heads = ["self", "share", *(["device", "self CPU"] if on_device else []), "CPU", "count"]
    yield f"{'name':{_NAME_WIDTH}}" + "".join(f"{head:>14}" for head in heads)
    for op in found:
        figures = [f"{own_time(op):.1f}", f"{100 * own_time(op) / total:.1f} %"]
        figures += [f"{op.device_us or 0:.1f}", f"{op.self_cpu_us:.1f}"] if on_device else []
        figures += [f"{op.cpu_us:.1f}", str(op.count)]
        yield f"{bounded.text(op.name, _NAME_WIDTH):{_NAME_WIDTH}}" + "".join(f"{figure:>14}" for figure in figures)


def trace(data: bytes) -> tuple[bytes, int]:
    """A Chrome trace written anew from the events of another, flat events of bounded number and nothing else; and how many were left out.

    Raises `Unreadable`.
    """
    document = bounded.loads(data, MOST_TRACE_BYTES)
    events = document.get("traceEvents") if isinstance(document, dict) else None
    if not isinstance(events, list):
        raise Unreadable("a trace without events")
    kept = [event for event in (_event(event) for event in events[:MOST_EVENTS]) if event]
    cut = max(0, len(events) - MOST_EVENTS)
    written = {"traceEvents": kept, "displayTimeUnit": "ms"} | ({"cut": cut} if cut else {})
    return gzip.compress(json.dumps(written, allow_nan=False, separators=(",", ":")).encode(), mtime=0), cut


def _event(event: JSON) -> dict[str, JSON]:
    """The plain members of an event, and its arguments of which each is plain, too."""
    if not isinstance(event, dict) or not isinstance(event.get("ph"), str):
        return {}
    flat = _plain_members(event)
    arguments = event.get("args")
    return flat | ({"args": _plain_members(arguments)} if isinstance(arguments, dict) else {})


def _plain_members(value: dict[str, JSON]) -> dict[str, JSON]:
    found: dict[str, JSON] = {}
    for key, member in list(value.items())[:_ARGUMENTS]:
        if isinstance(member, str):
            found[bounded.text(key, 80)] = bounded.text(member)
        elif isinstance(member, bool) or bounded.number(member) is not None:
            found[bounded.text(key, 80)] = member
    return found

"""Timed calls. Clocks and device primitives are bound here, before submitted code is imported."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from evaluator.candidate.outputs import as_outputs, copy_into

_perf_counter_ns = time.perf_counter_ns
_zero = torch.Tensor.zero_
_synchronize = torch.cuda.synchronize
_current_stream = torch.cuda.current_stream
_Event: Callable[..., torch.cuda.Event] = torch.cuda.Event
_record = torch.cuda.Event.record
_elapsed = torch.cuda.Event.elapsed_time


@dataclass
class Call:
    """One call: its arguments, already views of the judge's memory, and the judge's buffers for its outputs."""

    args: list[object]
    kwargs: dict[str, object]
    targets: list[torch.Tensor]


def _keep(value: object, call: Call) -> bool:
    outputs = as_outputs(value)
    return len(outputs) == len(call.targets) and all(copy_into(o, t) for o, t in zip(outputs, call.targets, strict=True))


class WallClock:
    """CPU: wall time of each call in nanoseconds."""

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()

    def time(self, entry: Callable[..., object], calls: Sequence[Call]) -> tuple[list[int], list[int], bool]:
        """Device times, host times (the same here) and whether every output could be kept."""
        samples: list[int] = []
        kept = True
        gc.disable()
        try:
            for call in calls:
                start = _perf_counter_ns()
                value = entry(*call.args, **call.kwargs)
                samples.append(_perf_counter_ns() - start)
                kept &= _keep(value, call)
        finally:
            gc.enable()
        return samples, samples, kept


class EventClock:
    """GPU: CUDA events around each call on the harness's stream, behind a flush of the L2 cache that also hides launch latency."""

    def __init__(self, flush_bytes: int) -> None:
        gc.collect()
        gc.freeze()
        self._flush = torch.empty(flush_bytes, dtype=torch.uint8, device="cuda")
        self._stream = _current_stream()

    def time(self, entry: Callable[..., object], calls: Sequence[Call]) -> tuple[list[int], list[int], bool]:
        starts = [_Event(enable_timing=True) for _ in calls]
        ends = [_Event(enable_timing=True) for _ in calls]
        host: list[int] = []
        kept = True
        gc.disable()
        try:
            for call, start, end in zip(calls, starts, ends, strict=True):
                _zero(self._flush)
                _record(start, self._stream)
                before = _perf_counter_ns()
                value = entry(*call.args, **call.kwargs)
                host.append(_perf_counter_ns() - before)
                _record(end, self._stream)
                kept &= _keep(value, call)
                del value
            _synchronize()
        finally:
            gc.enable()
        device = [round(_elapsed(a, b) * 1e6) for a, b in zip(starts, ends, strict=True)]
        return device, host, kept

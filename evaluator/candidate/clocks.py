"""Timed calls. Clocks and device primitives are bound here, before submitted code is imported."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from evaluator.candidate.flush import Flush
from evaluator.candidate.outputs import as_outputs, copy_into

_perf_counter_ns = time.perf_counter_ns
_synchronize = torch.cuda.synchronize
_default_stream = torch.cuda.default_stream
_max_memory_allocated = torch.cuda.max_memory_allocated
_reset_peak = torch.cuda.reset_peak_memory_stats
_set_stream = torch.cuda.set_stream
_Event: Callable[..., torch.cuda.Event] = torch.cuda.Event
_record = torch.cuda.Event.record
_elapsed = torch.cuda.Event.elapsed_time


@dataclass
class Call:
    """One call: its arguments, already views of the judge's memory, and the judge's buffers for its outputs.

    `written`: views of our own of each argument that the op writes to, and the buffer for what it wrote. Copied like outputs, on our
    stream: what is not written when the call has returned and its stream is done is not in the copy.
    """

    args: list[object]
    kwargs: dict[str, object]
    targets: list[torch.Tensor]
    written: list[tuple[torch.Tensor, torch.Tensor]]


def keep(value: object, call: Call) -> bool:
    """Copy what a call gave into the judge's buffers. False when its form is not the expected one."""
    for source, target in call.written:
        copy_into(source, target)
    if not call.targets:
        return True  # what such an op returns is not looked at
    outputs, _structure = as_outputs(value)
    return len(outputs) == len(call.targets) and all(copy_into(o, t) for o, t in zip(outputs, call.targets, strict=True))


class WallClock:
    """CPU: wall time of each call in nanoseconds."""

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()
        self._calls: Sequence[Call] = ()
        self._samples: list[int] = []
        self._kept = True

    def arm(self, calls: Sequence[Call]) -> None:
        """Get ready, so that `run` does nothing but the calls."""
        self._calls = calls
        self._samples = []
        self._kept = True

    def run(self, entry: Callable[..., object]) -> None:
        """The calls, one after the other; each output is copied into the judge's buffer before the next call."""
        gc.disable()
        try:
            for call in self._calls:
                start = _perf_counter_ns()
                value = entry(*call.args, **call.kwargs)
                self._samples.append(_perf_counter_ns() - start)
                self._kept &= keep(value, call)
        finally:
            gc.enable()

    def collect(self) -> tuple[list[int], list[int], bool]:
        """Device times, host times (the same here) and whether every output could be kept."""
        return self._samples, self._samples, self._kept

    def peak_bytes(self) -> int:
        """Not known of a CPU."""
        return 0

    def forget(self) -> None:
        """Let go of the judge's memory."""
        self._calls = ()


class EventClock:
    """GPU: CUDA events around each call on the harness's stream, behind a flush of the L2 cache that also hides launch latency."""

    def __init__(self, flush_bytes: int) -> None:
        gc.collect()
        gc.freeze()
        self.flush = Flush(flush_bytes)
        self.stream = _default_stream()
        self._calls: Sequence[Call] = ()
        self._events: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []
        self._host: list[int] = []
        self._kept = True

    def arm(self, calls: Sequence[Call]) -> None:
        """Get ready, so that `run` does nothing but the calls."""
        self._calls = calls
        self._events = [(_Event(enable_timing=True), _Event(enable_timing=True)) for _ in calls]
        for start, end in self._events:  # CUDA makes an event when it is first recorded
            _record(start, self.stream)
            _record(end, self.stream)
        _synchronize()
        self._host = []
        self._kept = True
        _reset_peak()

    def run(self, entry: Callable[..., object]) -> None:
        """The calls, one after the other, then a wait for the whole device."""
        gc.disable()
        try:
            self.flush.release()
            _set_stream(self.stream)  # whatever an earlier command left current
            for call, (start, end) in zip(self._calls, self._events, strict=True):
                self.flush(self.stream)
                _record(start, self.stream)
                before = _perf_counter_ns()
                value = entry(*call.args, **call.kwargs)
                self._host.append(_perf_counter_ns() - before)
                _record(end, self.stream)
                _set_stream(self.stream)  # whatever the call left current: our copy waits for our stream alone
                self._kept &= keep(value, call)
                del value
            _synchronize()
        finally:
            gc.enable()

    def collect(self) -> tuple[list[int], list[int], bool]:
        """Device times, host times and whether every output could be kept."""
        return [round(_elapsed(start, end) * 1e6) for start, end in self._events], self._host, self._kept

    def peak_bytes(self) -> int:
        """What torch's allocator held at most since `arm`, without the flush."""
        return int(_max_memory_allocated()) - self.flush.buffer.numel()

    def forget(self) -> None:
        """Let go of the judge's memory."""
        self._calls = ()

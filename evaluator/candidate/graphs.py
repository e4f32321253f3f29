"""Timed calls as one CUDA graph: for kernels so short that launching them from Python would decide (ENGINE §4)."""

from __future__ import annotations

import contextlib
import gc
import time
import typing
from collections.abc import Callable, Sequence

import torch

from evaluator.candidate.clocks import Call, keep
from evaluator.candidate.flush import Flush

_synchronize = torch.cuda.synchronize
_empty_cache = torch.cuda.empty_cache
_set_stream = torch.cuda.set_stream
_Stream: Callable[..., torch.cuda.Stream] = torch.cuda.Stream
_Event: Callable[..., torch.cuda.Event] = torch.cuda.Event
_record = torch.cuda.Event.record
_elapsed = torch.cuda.Event.elapsed_time
_Graph: Callable[[], torch.cuda.CUDAGraph] = torch.cuda.CUDAGraph
_begin = torch.cuda.CUDAGraph.capture_begin
_end = torch.cuda.CUDAGraph.capture_end
_replay = torch.cuda.CUDAGraph.replay
_new_pool = torch.cuda.graph_pool_handle
_perf_counter_ns = time.perf_counter_ns
Pool = typing.Any
"""torch's own name for a pool of memory has no public type."""
MAX_REASON = 300


class NotCaptured(Exception):
    """The calls cannot be captured; the text says why."""


class GraphClock:
    """Replays all calls of a command in one CUDA graph, between two events, behind a flush of the L2 cache.

    The graph is captured once for a set of calls (`number` names it): the addresses stay, the judge writes new inputs before each
    replay. Nothing of the submission's Python runs while it is timed. Each call's outputs are tensors of its own. A second graph, behind
    the second event, copies them into the judge's buffers.
    """

    def __init__(self, flush: Flush, stream: torch.cuda.Stream) -> None:
        self._flush = flush
        self._stream = stream
        self._side = _Stream()
        self._number: object = None
        self._graphs: tuple[torch.cuda.CUDAGraph, ...] = ()
        self._calls: Sequence[Call] = ()
        self._values: list[object] = []
        self._events = _Event(enable_timing=True), _Event(enable_timing=True)
        for event in self._events:
            _record(event, stream)  # CUDA makes an event when it is first recorded
        self._host = 0

    def holds(self, number: object) -> bool:
        return bool(self._graphs) and self._number == number

    def forget(self) -> None:
        """Give the memory of the last graph back to the device. Left to torch, neither another graph nor another process could have it."""
        held, self._graphs, self._values, self._calls, self._number = self._graphs, (), [], (), None
        if held:
            del held
            _empty_cache()

    def capture(self, number: object, calls: Sequence[Call], entry: Callable[..., object]) -> None:
        """Raises `NotCaptured` when the calls do something that a graph cannot hold, such as looking at results on the host."""
        self.forget()
        pool = _new_pool()
        values: list[object] = []
        working = self._captured(pool, lambda: values.extend(entry(*call.args, **call.kwargs) for call in calls))
        copying = self._captured(pool, lambda: _keep_all(values, calls))
        self._number, self._graphs, self._calls, self._values = number, (working, copying), calls, values

    def _captured(self, pool: Pool, work: Callable[[], object]) -> torch.cuda.CUDAGraph:
        graph, failure = _Graph(), ""
        _synchronize()
        _set_stream(self._side)
        try:
            _begin(graph, pool=pool, capture_error_mode="thread_local")
            try:
                work()
            except BaseException as error:
                failure = _text(error)
            _set_stream(self._side)  # whatever the calls left current: a capture ends where it began
            _end(graph)
        except BaseException as error:
            failure = failure or _text(error)
        finally:
            _set_stream(self._stream)
        if failure:
            _clean_up(pool)
            raise NotCaptured(failure)
        _synchronize()
        return graph

    def run(self, _entry: Callable[..., object]) -> None:
        """One replay, then a wait for the whole device."""
        working, copying = self._graphs
        gc.disable()
        try:
            self._flush.release()
            _set_stream(self._stream)
            self._flush(self._stream)
            _record(self._events[0], self._stream)
            before = _perf_counter_ns()
            _replay(working)
            self._host = _perf_counter_ns() - before
            _record(self._events[1], self._stream)
            _replay(copying)
            _synchronize()
        finally:
            gc.enable()

    def collect(self) -> tuple[list[int], list[int], bool]:
        """One device time: the replay's over the number of calls; likewise the time to launch it. Every output could be kept."""
        count = len(self._calls)
        return [round(_elapsed(*self._events) * 1e6 / count)], [round(self._host / count)], True

    def peak_bytes(self) -> int:
        """Not known: a graph keeps the outputs of all its calls."""
        return 0


def _keep_all(values: Sequence[object], calls: Sequence[Call]) -> None:
    kept = [keep(value, call) for value, call in zip(values, calls, strict=True)]
    if not all(kept):
        raise ValueError("an output has another form than in the check")


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:MAX_REASON]


def _clean_up(pool: Pool) -> None:
    """Undo what a failed capture leaves behind: torch would go on allocating for it, and the generator would think that it is captured."""
    device = torch.cuda.current_device()
    generator = torch.cuda.default_generators[device]
    steps: Sequence[Callable[[], object]] = (
        _synchronize,
        lambda: torch._C._cuda_endAllocateToPool(device, pool),
        lambda: torch._C._cuda_releasePool(device, pool),
        lambda: generator.graphsafe_set_state(generator.clone_state()),
        _synchronize,
    )
    for step in steps:
        with contextlib.suppress(Exception):
            step()

"""The command loop: the judge says what to do next, the harness does it and answers."""

from __future__ import annotations

import os
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch

from evaluator.candidate import outputs
from evaluator.candidate.clocks import Call, EventClock, WallClock
from evaluator.candidate.graphs import GraphClock, NotCaptured
from evaluator.candidate.loading import describe_error, load
from evaluator.candidate.memory import Arena, open_arena
from evaluator.candidate.timers import TIMERS
from evaluator.protocol import PROTOCOL_VERSION, Channel, ChannelClosed

Message = Mapping[str, object]
Loader = Callable[[Message], Callable[..., object]]


class Harness:
    """Holds the loaded entry point and the mapped arenas, and answers commands until `exit` or a closed channel."""

    def __init__(self, channel: Channel, device: str, loader: Loader | None = None) -> None:
        self.channel = channel
        self.device = device
        self.loader = loader or self._load_source
        self.arenas: dict[str, Arena] = {}
        self.entry: Callable[..., object] | None = None
        self.path: Path | None = None
        self.eager: WallClock | EventClock | None = None
        self.graphs: GraphClock | None = None
        self.clock: WallClock | EventClock | GraphClock | None = None
        os.register_at_fork(after_in_child=channel.close)  # a fork of submitted code must not answer in our name

    def serve(self) -> None:
        self.channel.send({"id": 0, "ready": True, "protocol": PROTOCOL_VERSION, "torch": torch.__version__})
        commands = {"map": self._map, "unmap": self._unmap, "load": self._load, "call": self._call, "arm": self._arm, "go": self._go}
        commands |= {"collect": self._collect, "bench": self._bench}
        while True:
            try:
                message, fds = self.channel.receive_with_fds()
            except ChannelClosed:
                return
            if message["cmd"] == "exit":
                return
            answer: dict[str, object] = {"id": message["id"]}
            try:
                answer |= commands[str(message["cmd"])](message, fds)
            except BaseException as error:
                answer["error"] = describe_error(error, self.path)
            self.channel.send(answer)

    def _map(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        self.arenas[str(message["arena"])] = open_arena(message, fds)
        return {}

    def _unmap(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        """Give the judge's memory back: nothing may be left that looks into it."""
        if self.graphs is not None:
            self.graphs.forget()
        if self.eager is not None:
            self.eager.forget()
        self.arenas.pop(str(message["arena"])).close()
        if self.device == "cuda":
            torch.cuda.empty_cache()  # this process may outlive the evaluation, and the next may need the memory elsewhere
        return {}

    def _load(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        self.entry = self.loader(message)
        return {}

    def _load_source(self, message: Message) -> Callable[..., object]:
        self.path = Path(os.getcwd()) / str(message["filename"])  # noqa: PTH109
        return load(str(message["source"]), self.path, str(message["entry_point"]))

    def _call(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        """Run the calls one after the other, keep all their outputs, then describe and copy them."""
        calls = [self._arguments(c) for c in _list(message["calls"])]
        inputs = [span for c in calls for span in outputs.spans(outputs.leaves((*c.args, *c.kwargs.values())))]
        values: list[list[object]] = []
        answers: list[dict[str, object]] = []
        for call in calls:
            kept: list[object] = []
            answer: dict[str, object] = {}
            try:
                kept, answer["structure"] = outputs.as_outputs(self._entry()(*call.args, **call.kwargs))
                self._synchronize()
            except BaseException as error:
                answer["error"] = describe_error(error, self.path)
            values.append(kept)
            answers.append(answer)
        earlier: list[outputs.Span] = []
        for call, kept, answer in zip(calls, values, answers, strict=True):
            if "error" in answer:
                continue
            answer["outputs"] = [outputs.describe(value, inputs, earlier) for value in kept]
            for value, target in (*zip(kept, call.targets, strict=False), *call.written):
                outputs.copy_into(value, target)
            earlier += outputs.spans(kept)
        self._synchronize()
        return {"calls": answers}

    def _arm(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        """Prepare timed calls. The judge's clock runs from the next `go` to its answer and sees none of this.

        With `graph`, a number that names this set of calls, they are captured; `not_captured` in the answer says why they cannot be.
        """
        if self.eager is None:
            self.eager = EventClock(typing.cast("int", message["flush_bytes"])) if self.device == "cuda" else WallClock()
        number = message.get("graph")
        if number is None:
            if self.graphs is not None:
                self.graphs.forget()
            self.eager.arm([self._arguments(c) for c in _list(message["calls"])])
            self.clock = self.eager
            return {}
        if not isinstance(self.eager, EventClock):
            return {"not_captured": "only a GPU has graphs"}
        self.graphs = self.graphs or GraphClock(self.eager.flush, self.eager.stream)
        self.clock = self.graphs
        if not self.graphs.holds(number):
            try:
                self.graphs.capture(number, [self._arguments(c) for c in _list(message["calls"])], self._entry())
            except NotCaptured as why:
                self.clock = None
                return {"not_captured": str(why)}
        return {}

    def _go(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        self._clock().run(self._entry())
        return {}

    def _collect(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        clock = self._clock()
        device, host, kept = clock.collect()
        return {"samples_ns": device, "host_ns": host, "kept": kept, "peak_bytes": clock.peak_bytes()}

    def _bench(self, message: Message, fds: Sequence[int]) -> dict[str, object]:
        """Time one call by a timer of this process."""
        [call] = [self._arguments(c) for c in _list(message["calls"])]
        entry = self._entry()
        return {"samples_ns": TIMERS[str(message["timer"])](lambda: entry(*call.args, **call.kwargs))}

    def _clock(self) -> WallClock | EventClock | GraphClock:
        if self.clock is None:
            raise RuntimeError("nothing is armed")
        return self.clock

    def _entry(self) -> Callable[..., object]:
        if self.entry is None:
            raise RuntimeError("nothing is loaded")
        return self.entry

    def _synchronize(self) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()

    def _arguments(self, call: object) -> Call:
        if not isinstance(call, dict):
            raise TypeError("a call is an object")
        args = [self._argument(a) for a in call["args"]]
        kwargs = {k: self._argument(v) for k, v in call["kwargs"].items()}
        targets = [self._tensor(t) for t in call["outputs"]]
        return Call(args, kwargs, targets, [(self._tensor(source), self._tensor(target)) for source, target in call["written"]])

    def _tensor(self, spec: object) -> torch.Tensor:
        return typing.cast("torch.Tensor", self._argument(spec))

    def _argument(self, spec: object) -> object:
        """A tensor ({arena, offset, dtype, shape, strides}), a tuple ({items}), a dtype ({dtype}), infinity or NaN ({float}), a scalar."""
        if not isinstance(spec, dict):
            return spec
        if "float" in spec:
            return float(spec["float"])
        if "items" in spec:
            return tuple(self._argument(item) for item in spec["items"])
        dtype = getattr(torch, spec["dtype"])
        if "arena" not in spec:
            return dtype
        return self.arenas[spec["arena"]].tensor(spec["offset"], dtype, spec["shape"], spec["strides"])


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("expected a list")
    return value

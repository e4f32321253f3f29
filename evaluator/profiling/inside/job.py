"""The kernel under a profiler: its source, its arguments in memory of the judge's making, and how to call it."""

from __future__ import annotations

import os
import typing
from collections.abc import Callable, Mapping
from pathlib import Path

import torch

from evaluator.candidate.loading import load
from evaluator.candidate.memory import HostArena
from evaluator.profiling.inside import cache

_synchronize = torch.cuda.synchronize


class Job:
    """`question` is what the judge asks for (`evaluator/profiling/job.py`); `inputs` and `compiled` are the numbers of the memory files
    with the tensors and with what earlier processes compiled.

    Arguments are copies on the device, made once: every call sees the same ones.
    """

    def __init__(self, question: Mapping[str, typing.Any], inputs: int, compiled: int) -> None:
        self.device = str(question["device"])
        self.calls = int(question["calls"])
        if self.device == "cpu":
            torch.set_num_threads(1)
            torch.set_num_interop_threads(1)
        self._question = question
        self._arena = HostArena(inputs, int(question["inputs_bytes"]))
        self._compiled = compiled
        self._entry: Callable[..., object] | None = None
        self._args: list[object] = []
        self._kwargs: dict[str, object] = {}

    def load(self) -> None:
        """Import the source and make its arguments. Raises whatever the source raises."""
        cache.fill(triton_cache(), self._compiled)
        path = Path(os.getcwd()) / str(self._question["filename"])  # noqa: PTH109
        self._args = [self._argument(value) for value in self._question["args"]]
        self._kwargs = {name: self._argument(value) for name, value in self._question["kwargs"].items()}
        self._entry = load(str(self._question["source"]), path, str(self._question["entry_point"]))

    def warm_up(self) -> None:
        """What is compiled and cached at the first calls is compiled and cached."""
        for _ in range(int(self._question["warm_up"])):
            self.call()
        self.synchronize()
        cache.keep(triton_cache(), self._compiled)

    def call(self) -> None:
        assert self._entry is not None, "nothing is loaded"
        self._entry(*self._args, **self._kwargs)

    def synchronize(self) -> None:
        if self.device == "cuda":
            _synchronize()

    def _argument(self, value: object) -> object:
        """As the candidate's harness reads arguments (`evaluator/judge/inputs.py` describes them)."""
        if not isinstance(value, dict):
            return value
        if "float" in value:
            return float(value["float"])
        if "items" in value:
            return tuple(self._argument(item) for item in value["items"])
        dtype = getattr(torch, value["dtype"])
        return self._tensor(value, dtype) if "arena" in value else dtype

    def _tensor(self, spec: Mapping[str, typing.Any], dtype: torch.dtype) -> torch.Tensor:
        """A copy with the strides of the recipe, gaps between elements included."""
        shape, strides = tuple(spec["shape"]), tuple(spec["strides"])
        if any(n == 0 for n in shape):
            return torch.empty(shape, dtype=dtype, device=self.device)
        count = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        flat = self._arena.flat(int(spec["offset"]), dtype, count)
        return flat.to(self.device, copy=True).as_strided(shape, strides)


def triton_cache() -> Path:
    """Where Triton keeps what it compiled in this process."""
    return Path(os.environ["TRITON_CACHE_DIR"])

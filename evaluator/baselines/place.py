"""The device that baselines are measured on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluator.devices import class_of_gpu
from evaluator.host_gpus import host_gpus
from evaluator.sandbox.gpus import gpu
from evaluator.sandbox.lock import device_lock

LOCK_WAIT_S = 600.0
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Place:
    """`device` is the board's hardware class, `gpu_index` NVML's number of the GPU, None for `cpu`."""

    device: str
    gpu_index: int | None = None

    @property
    def torch_device(self) -> str:
        return "cpu" if self.gpu_index is None else "cuda"

    def environ(self) -> Mapping[str, str]:
        """What makes a program see this GPU and no other; on the `cpu` device, compute on one thread, as kernels and torch eager do."""
        if self.gpu_index is None:
            return {"CUDA_VISIBLE_DEVICES": "", **dict.fromkeys(_THREADS, "1")}
        found = gpu(self.gpu_index)
        return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": found.uuid or str(found.index)}

    @contextlib.contextmanager
    def to_ourselves(self, purpose: str) -> Iterator[None]:
        """Hold the lock that every judge takes. Raises `LockBusy`."""
        name = "cpu" if self.gpu_index is None else (gpu(self.gpu_index).uuid or f"gpu{self.gpu_index}")
        with device_lock(name, timeout_s=LOCK_WAIT_S, purpose=purpose):
            yield


def place_of(name: str) -> Place:
    """The place of `cpu`, `cuda`, `cuda:N`, a board's device (`h100`: the first such GPU here) or "" (the first GPU, else `cpu`).

    Raises `LookupError` when this host has no such device.
    """
    found = {each.index: class_of_gpu(each.name) for each in host_gpus()}
    if name == "cpu" or (name == "" and not found):
        return Place("cpu")
    kind, _, number = (name or "cuda").partition(":")
    if kind == "cuda" and (not number or number.isdecimal()):
        index = int(number or 0)
        if index not in found:
            raise LookupError(f"this host has no GPU {index}; it has {len(found)}")
        return Place(found[index], index)
    for index, device in found.items():
        if device == name:
            return Place(device, index)
    here = ", ".join(dict.fromkeys(["cpu", *found.values()]))
    raise LookupError(f"this host has no device {name!r}; it has {here}")

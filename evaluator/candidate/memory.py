"""Views of the judge's memory: a sealed memfd on a CPU, a CUDA IPC block on a GPU."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Mapping, Sequence

import torch


class Arena:
    """One block of the judge's memory, mapped in this process. Tensors are views at byte offsets, each with a storage of its own."""

    device = "cuda"

    def __init__(self, length: int) -> None:
        self.length = length

    def flat(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        """`count` > 0 elements at `offset`."""
        raise NotImplementedError

    def close(self) -> None:
        """Unmap it. No view of it may be used afterwards."""

    def tensor(self, offset: int, dtype: torch.dtype, shape: Sequence[int], strides: Sequence[int]) -> torch.Tensor:
        if any(n == 0 for n in shape):
            return torch.empty(tuple(shape), dtype=dtype, device=self.device)
        count = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        return self.flat(offset, dtype, count).as_strided(tuple(shape), tuple(strides))


class HostArena(Arena):
    device = "cpu"

    def __init__(self, fd: int, length: int) -> None:
        super().__init__(length)
        self._map = mmap.mmap(fd, length, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
        os.close(fd)

    def flat(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        return torch.frombuffer(self._map, dtype=dtype, count=count, offset=offset)


class CudaBytes:
    """Device bytes that torch wraps without a copy (the CUDA array interface, version 3)."""

    def __init__(self, pointer: int, length: int) -> None:
        self.__cuda_array_interface__ = {"shape": (length,), "typestr": "|u1", "data": (pointer, False), "version": 3}


class CudaArena(Arena):
    """A block that the judge allocated with cuMemAlloc and shared by an IPC handle."""

    def __init__(self, handle: bytes, length: int) -> None:
        super().__init__(length)
        torch.zeros(1, device="cuda")
        self._base = open_ipc(handle)

    def close(self) -> None:
        torch.cuda.synchronize()
        ctypes.CDLL("libcuda.so.1").cuIpcCloseMemHandle(ctypes.c_uint64(self._base))

    def flat(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        return torch.as_tensor(CudaBytes(self._base + offset, count * dtype.itemsize), device="cuda").view(dtype)


class _IpcHandle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * 64)]


def open_ipc(handle: bytes) -> int:
    """Device address of a block shared by another process. Raises `RuntimeError` with CUDA's error number."""
    driver = ctypes.CDLL("libcuda.so.1")
    pointer = ctypes.c_uint64()
    code = driver.cuIpcOpenMemHandle_v2(ctypes.byref(pointer), _IpcHandle((ctypes.c_ubyte * 64)(*handle)), ctypes.c_uint(1))
    if code != 0:
        raise RuntimeError(f"cuIpcOpenMemHandle failed with CUDA error {code}")
    return pointer.value


def open_arena(message: Mapping[str, object], fds: Sequence[int]) -> Arena:
    length = message["bytes"]
    if not isinstance(length, int):
        raise TypeError("an arena needs its length in bytes")
    if message["memory"] == "cuda_ipc":
        return CudaArena(bytes.fromhex(str(message["handle"])), length)
    return HostArena(fds[0], length)

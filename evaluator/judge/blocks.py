"""Memory that the judge owns and a harness process maps: a sealed memfd on a CPU, a dedicated cuMemAlloc block on a GPU."""

from __future__ import annotations

import ctypes
import fcntl
import os
import typing

from evaluator.candidate.memory import Arena, CudaBytes, HostArena

if typing.TYPE_CHECKING:
    import torch

    from evaluator.judge.peer import Peer

ALIGNMENT = 512
GUARD_BYTES = 512
"""Between any two tensors, and behind the last. A kernel that writes there has written out of bounds."""
CUDA_ROUNDING = 2 * 1024 * 1024
"""CUDA sub-allocates smaller blocks, and an IPC handle would expose the whole of them."""


def rounded(length: int, to: int = ALIGNMENT) -> int:
    return -(-length // to) * to


class HostBlock:
    """A memfd, sealed so that the candidate cannot truncate it under the judge's feet."""

    def __init__(self, length: int) -> None:
        self.length = rounded(max(length, 1), 4096)
        self._fd = os.memfd_create("kb-arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self._fd, self.length)
        fcntl.fcntl(self._fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        self.arena: Arena = HostArena(os.dup(self._fd), self.length)

    def fileno(self) -> int:
        """The memory file's descriptor, for a process that maps it by itself."""
        return self._fd

    def share(self, peer: Peer, name: str, timeout_s: float) -> None:
        peer.command({"cmd": "map", "arena": name, "memory": "memfd", "bytes": self.length}, timeout_s=timeout_s, fds=[self._fd])

    def close(self) -> None:
        """Unmapped when the last view is gone."""
        os.close(self._fd)


class CudaBlock:
    """A block of its own on the GPU, shared by an IPC handle."""

    def __init__(self, length: int) -> None:
        import torch

        self.length = rounded(max(length, 1), CUDA_ROUNDING)
        torch.cuda.current_stream()
        self._driver = ctypes.CDLL("libcuda.so.1")
        pointer = ctypes.c_uint64()
        self._check(self._driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(self.length)), "cuMemAlloc")
        self._pointer = pointer
        handle = (ctypes.c_ubyte * 64)()
        self._check(self._driver.cuIpcGetMemHandle(ctypes.byref(handle), pointer), "cuIpcGetMemHandle")
        self._handle = bytes(handle)
        self.arena: Arena = _OwnCudaArena(pointer.value, self.length)

    def share(self, peer: Peer, name: str, timeout_s: float) -> None:
        message = {"cmd": "map", "arena": name, "memory": "cuda_ipc", "bytes": self.length, "handle": self._handle.hex()}
        peer.command(message, timeout_s=timeout_s)

    def close(self) -> None:
        if self._pointer.value:
            self._driver.cuMemFree_v2(self._pointer)
            self._pointer = ctypes.c_uint64()

    def _check(self, code: int, call: str) -> None:
        if code != 0:
            raise MemoryError(f"{call} of {self.length} bytes failed with CUDA error {code}")


class _OwnCudaArena(Arena):
    def __init__(self, base: int, length: int) -> None:
        super().__init__(length)
        self._base = base

    def flat(self, offset: int, dtype: torch.dtype, count: int) -> torch.Tensor:
        import torch

        return torch.as_tensor(CudaBytes(self._base + offset, count * dtype.itemsize), device="cuda").view(dtype)


Block = HostBlock | CudaBlock


def new_block(device: str, length: int) -> Block:
    """`device` is torch's: `cpu` or `cuda`."""
    return CudaBlock(length) if device == "cuda" else HostBlock(length)

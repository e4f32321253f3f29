"""A quick look at two outputs, cheap enough for every timed call."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

if typing.TYPE_CHECKING:
    import torch

NEAR = {"float64": 1e-11, "float32": 2e-5, "float16": 2e-3, "bfloat16": 1e-2, "float8_e4m3fn": 5e-2, "float8_e5m2": 1e-1, "complex64": 2e-5}


def near(theirs: Sequence[Sequence[torch.Tensor]], ours: Sequence[Sequence[torch.Tensor]], *, exact: bool = False) -> list[bool]:
    """For each call, whether all its outputs are so alike that a look at the sample is enough.

    Equal, or, unless `exact`, with a relative L2 error within a few roundings of the dtype. Waits for the device once, not once a tensor.
    """
    import torch

    figures: list[torch.Tensor] = []
    allowed: list[float] = []
    for call, expected in zip(theirs, ours, strict=True):
        for a, b in zip(call, expected, strict=True):
            share = 0.0 if exact else NEAR.get(str(a.dtype).removeprefix("torch."), 0.0)
            if share:
                x, y = _reals(a), _reals(b)
                figures += [torch.linalg.vector_norm(x - y), torch.linalg.vector_norm(y)]
            else:
                figures += [_differ(a, b).any().to(torch.float32), torch.zeros((), device=a.device)]
            allowed.append(share)
    values = iter(torch.stack(figures).tolist() if figures else [])
    verdicts: list[bool] = []
    shares = iter(allowed)
    for call in theirs:
        fine = True
        for _ in call:
            difference, norm, share = next(values), next(values), next(shares)
            fine &= math.isfinite(difference) and difference <= share * norm
        verdicts.append(fine)
    return verdicts


def _reals(values: torch.Tensor) -> torch.Tensor:
    """All numbers in one row, narrow ones as float32."""
    import torch

    flat = values.reshape(-1)
    if flat.is_complex():
        return torch.view_as_real(flat).reshape(-1)
    return flat if flat.dtype == torch.float64 else flat.to(torch.float32)


def _differ(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Where the bits differ, in words as wide as an element (of complex ones: as wide as a part)."""
    import torch

    width = min(a.itemsize, 8)
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[width]
    return a.reshape(-1).view(integers) != b.reshape(-1).view(integers)


def same_bytes(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two flat tensors of one dtype hold the same bytes."""
    return all_same([(a, b)])[0]


def all_same(pairs: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> list[bool]:
    """Of each pair, whether two flat tensors of one dtype hold the same bytes. Waits for the device once, not once a pair."""
    import torch

    found: list[torch.Tensor] = []
    for a, b in pairs:
        x, y = a.view(torch.uint8), b.view(torch.uint8)
        whole = x.numel() - x.numel() % 8  # one at a time would be eight times as slow as eight at a time
        found.append((x[:whole].view(torch.int64) == y[:whole].view(torch.int64)).all() & (x[whole:] == y[whole:]).all())
    return torch.stack(found).tolist() if found else []

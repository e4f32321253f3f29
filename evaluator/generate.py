"""Input tensors from a counter-based random generator, bit-equal on every device.

Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011) in plain int64 tensor
arithmetic. Only integer operations, single IEEE multiplications and additions, and round-to-nearest conversions follow it:
no transcendental function, whose last bits differ between devices. So the same (spec, seed, counter) gives the same bits on a
CPU and on any GPU.

What the generators make (`low`, `high` are the spec's fields; a row is the last dimension):

- `normal`: mean `low`, standard deviation `high`; each value is a signed sum of four 16-bit uniforms (Irwin-Hall), so it lies
  within 3.47 standard deviations. Four uniforms give four values by a Hadamard rotation: uncorrelated, not independent.
- `uniform`: [low, high) in 24-bit steps; rounding may reach `high`.
- `integers`: [low, high).
- `large`: like `normal`, 10 000 times as wide.
- `tiny_variance`: mean `high`, standard deviation `high` / 128.
- `special`: `normal`, one value in eight replaced by ±0, ±Inf, ± the smallest normal number, or ±1. NaN is not among them.
- `special_nan`: the same with NaN in place of ±1.
- `constant_rows`: each row holds one `normal` value.
- `sparse`: `normal`, seven values in eight replaced by 0.

- `permutation`: distinct integers of [low, high), the first of a random order of them all.
- `ascending`: integers of [low, high], sorted, the first of them `low` and the last `high`.

Integer tensors get `integers` unless the spec names one of the last two; bool tensors get a fair coin. Complex tensors are filled as
pairs of floats.
"""

from __future__ import annotations

import math
import struct
import typing

from evaluator.philox import LANES, blocks, philox

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from evaluator.ops.definition import TensorSpec

VALUES_STREAM, CHOICE_STREAM = 0, 1
NORMAL_STEP = math.sqrt(3 / (4 * (65536**2 - 1)))
"""One over the standard deviation of the sum of four odd integers drawn from [-65535, 65535]."""
LARGE = 10_000.0
CUDA_KERNEL_ELEMENTS = 1 << 16
"""From this size on, a contiguous CUDA tensor is filled by one Triton kernel instead of torch operations."""


def fill(tensor: torch.Tensor, spec: TensorSpec, seed: int, counter: int) -> None:
    """Fill `tensor`, which has the spec's shape, dtype and strides, in place.

    `seed` (64 bits) is the generator's key. `counter` (64 bits) numbers the fill: give each tensor of each call its own.
    Strided tensors are filled through their whole storage extent, gaps included.
    """
    import torch

    if tuple(tensor.shape) != spec.shape or tensor.dtype != getattr(torch, spec.dtype):
        raise ValueError(f"the tensor is {tensor.dtype}{list(tensor.shape)}, the spec says {spec}")
    if tensor.numel() == 0:
        return
    flat = tensor.as_strided((_extent(tuple(tensor.shape), tensor.stride()),), (1,))
    with torch.no_grad():
        if spec.generator == "constant_rows" and tensor.is_floating_point() and tensor.dim() > 0:
            if flat.numel() != tensor.numel():
                flat.zero_()
            rows = torch.empty(spec.shape[:-1], dtype=tensor.dtype, device=tensor.device)
            _fill_flat(rows.view(-1), spec, seed, counter)
            tensor.copy_(rows.unsqueeze(-1))
        else:
            _fill_flat(flat, spec, seed, counter)


def storage_elements(spec: TensorSpec) -> int:
    """How many elements a flat buffer needs to hold the spec's tensor."""
    if spec.strides is None:
        return math.prod(spec.shape)
    return _extent(spec.shape, spec.strides)


def view(flat: torch.Tensor, spec: TensorSpec) -> torch.Tensor:
    """The spec's tensor laid over the start of a flat buffer of its dtype."""
    if flat.numel() < storage_elements(spec):
        raise ValueError(f"{spec} needs {storage_elements(spec)} elements, the buffer has {flat.numel()}")
    return flat.as_strided(spec.shape, laid_out(spec))


def laid_out(spec: TensorSpec) -> tuple[int, ...]:
    """The strides of the spec's tensor."""
    return spec.strides if spec.strides is not None else contiguous_strides(spec.shape)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def affine(spec: TensorSpec) -> tuple[float, float]:
    """Scale and offset, both float32 numbers, that turn the raw integers of the spec's generator into its values."""
    if spec.generator == "uniform":
        scale, offset = (spec.high - spec.low) / 2**24, spec.low
    elif spec.generator == "large":
        scale, offset = NORMAL_STEP * spec.high * LARGE, spec.low
    elif spec.generator == "tiny_variance":
        scale, offset = NORMAL_STEP * spec.high / 128, spec.high
    else:
        scale, offset = NORMAL_STEP * spec.high, spec.low
    return _float32(scale), _float32(offset)


def _float32(value: float) -> float:
    (rounded,) = struct.unpack("f", struct.pack("f", value))
    return float(rounded)


def special_values(dtype: torch.dtype, *, nan: bool = False) -> list[float]:
    import torch

    tiny = torch.finfo(torch.float32 if dtype == torch.float64 else dtype).tiny
    return [0.0, -0.0, math.inf, -math.inf, tiny, -tiny, *([math.nan, math.nan] if nan else [1.0, -1.0])]


def _extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


def _fill_flat(flat: torch.Tensor, spec: TensorSpec, seed: int, counter: int) -> None:
    import torch

    if flat.is_complex():
        flat = torch.view_as_real(flat).view(-1)
    if flat.dtype != torch.bool and spec.generator == "permutation":
        _fill_permutation(flat, spec, seed, counter)
    elif flat.dtype != torch.bool and spec.generator == "ascending":
        _fill_ascending(flat, spec, seed, counter)
    elif not flat.is_floating_point() or spec.generator == "integers":
        _fill_integers(flat, int(spec.low), int(spec.high), seed, counter)
    elif flat.is_cuda and flat.numel() >= CUDA_KERNEL_ELEMENTS and flat.dtype in (torch.float32, torch.float16, torch.bfloat16):
        from evaluator.generate_cuda import fill_flat

        fill_flat(flat, spec, seed, counter)
    elif spec.generator == "uniform":
        for segment, words in _words(flat, seed, counter, VALUES_STREAM):
            _store_affine(segment, words >> 8, spec)
    else:
        for segment, sums in _sums(flat, seed, counter):
            _store_affine(segment, sums, spec)
    if spec.generator in ("special", "special_nan", "sparse") and flat.is_floating_point():
        _replace(flat, spec, seed, counter)


def _store_affine(segment: torch.Tensor, raw: torch.Tensor, spec: TensorSpec) -> None:
    import torch

    scale, offset = affine(spec)
    values = raw.to(torch.float32).mul_(scale)
    segment.copy_(values if offset == 0 else values.add_(offset))


def _fill_integers(flat: torch.Tensor, low: int, high: int, seed: int, counter: int) -> None:
    import torch

    if flat.dtype == torch.bool:
        low, high = 0, 2
    span = high - low
    if not 0 < span < 2**31:
        raise ValueError(f"integers need 0 < high - low < 2**31, the spec says low={low} high={high}")
    for segment, words in _words(flat, seed, counter, VALUES_STREAM):
        segment.copy_(words.mul(span).bitwise_right_shift_(32).add_(low))


def _fill_permutation(flat: torch.Tensor, spec: TensorSpec, seed: int, counter: int) -> None:
    import torch

    span = int(spec.high) - int(spec.low)
    if span < flat.numel():
        raise ValueError(f"a permutation of [{spec.low}, {spec.high}) has no {flat.numel()} distinct elements")
    keys = torch.empty(span, dtype=torch.int64, device=flat.device)
    for segment, words in _words(keys, seed, counter, VALUES_STREAM):
        segment.copy_(words)
    flat.copy_(torch.argsort(keys, stable=True)[: flat.numel()] + int(spec.low))


def _fill_ascending(flat: torch.Tensor, spec: TensorSpec, seed: int, counter: int) -> None:
    import torch

    drawn = torch.empty(flat.numel(), dtype=torch.int64, device=flat.device)
    _fill_integers(drawn, int(spec.low), int(spec.high) + 1, seed, counter)
    drawn[-1:] = int(spec.high)
    drawn[:1] = int(spec.low)
    flat.copy_(drawn.sort().values)


def _replace(flat: torch.Tensor, spec: TensorSpec, seed: int, counter: int) -> None:
    """Overwrite the values that a second stream of words chooses."""
    import torch

    table = torch.tensor(special_values(flat.dtype, nan=spec.generator == "special_nan"), dtype=flat.dtype, device=flat.device)
    for segment, words in _words(flat, seed, counter, CHOICE_STREAM):
        chosen = (words >> 29) == 0
        if spec.generator == "sparse":
            segment.masked_fill_(~chosen, 0)
        else:
            segment.copy_(torch.where(chosen, table[(words >> 26) & 7], segment))


def _words(flat: torch.Tensor, seed: int, counter: int, stream: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Pairs of a segment of `flat` and its 32-bit words (int64): tile k holds word 0 of its blocks, then word 1, 2, 3."""
    for first, count in blocks(flat.numel(), 4, flat.device.type):
        words = philox(first, count, stream, counter, seed, flat.device)
        yield from _lay_out(flat, words, first, count)


def _sums(flat: torch.Tensor, seed: int, counter: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Pairs of a segment of `flat` and its signed sums of four odd 16-bit integers; a block gives eight of them."""
    for first, count in blocks(flat.numel(), 8, flat.device.type):
        w0, w1, w2, w3 = philox(first, count, VALUES_STREAM, counter, seed, flat.device)
        yield from _lay_out(flat, [*rotate(w0, w1), *rotate(w2, w3)], first, count)


def rotate(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Four signed sums of the four 16-bit halves of two words, each half h centred as 2h - 65535."""
    import torch

    a, b = a.to(torch.int32), b.to(torch.int32)
    a_high, a_low = a.bitwise_right_shift(16), a.bitwise_and(0xFFFF)
    b_high, b_low = b.bitwise_right_shift(16), b.bitwise_and(0xFFFF)
    a_high.bitwise_and_(0xFFFF)
    b_high.bitwise_and_(0xFFFF)
    p, q = a_high.add(a_low).sub_(65535).mul_(2), a_high.sub_(a_low).mul_(2)
    r, s = b_high.add(b_low).sub_(65535).mul_(2), b_high.sub_(b_low).mul_(2)
    return p.add(r), p.sub(r), q.add(s), q.sub(s)


def _lay_out(
    flat: torch.Tensor, parts: typing.Sequence[torch.Tensor], first: int, count: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    per_block = len(parts)
    start = first * per_block
    whole = min(flat.numel() - start, count * per_block) // (LANES * per_block)
    if whole:
        tiles = flat[start : start + whole * LANES * per_block].view(whole, per_block, LANES)
        for index, part in enumerate(parts):
            yield tiles[:, index], part[: whole * LANES].view(whole, LANES)
    start += whole * LANES * per_block
    for index, part in enumerate(parts):
        begin = start + index * LANES
        segment = flat[begin : begin + LANES]
        if whole * LANES < count and segment.numel():
            yield segment, part[whole * LANES : whole * LANES + segment.numel()]

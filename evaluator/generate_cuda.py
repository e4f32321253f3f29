"""The generator of `evaluator/generate.py` as one Triton kernel, for large flat CUDA tensors: the same bits, one pass over memory.

A program makes one tile of `LANES` Philox blocks: four slabs of 24-bit uniforms or eight of signed sums. Fused multiply-add is off
and bfloat16 is rounded by integer arithmetic, so that no bit depends on the compiler.
"""

# Triton kernels have no Python types.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

import typing

import torch
import triton
import triton.language as tl

from evaluator.generate import VALUES_STREAM, affine
from evaluator.philox import LANES, MASK, MULTIPLIER_0, MULTIPLIER_1, ROUNDS, WEYL_0, WEYL_1

if typing.TYPE_CHECKING:
    from evaluator.ops.definition import TensorSpec


def fill_flat(flat: torch.Tensor, spec: TensorSpec, seed: int, counter: int) -> None:
    """Fill a one-dimensional contiguous tensor with the spec's uniform values or signed sums (all other float generators)."""
    per_block = 4 if spec.generator == "uniform" else 8
    scale, offset = affine(spec)
    as_bfloat16 = flat.dtype == torch.bfloat16
    # Integers below 2**31 have one type in Triton whatever their value: a new seed compiles nothing.
    words = [_signed(word) for word in (VALUES_STREAM, counter, counter >> 32, seed, seed >> 32)]
    tiles = triton.cdiv(flat.numel(), per_block * LANES)
    _fill_tile[(tiles,)](
        flat.view(torch.int16) if as_bfloat16 else flat,
        flat.numel(),
        *words,
        scale,
        offset,
        UNIFORM=per_block == 4,
        SHIFTED=offset != 0,
        AS_BFLOAT16=as_bfloat16,
        TILE=LANES,
        N_ROUNDS=ROUNDS,
        M0=MULTIPLIER_0,
        M1=MULTIPLIER_1,
        W0=WEYL_0,
        W1=WEYL_1,
        enable_fp_fusion=False,
    )


def _signed(word: int) -> int:
    """The 32-bit word as a signed integer."""
    word &= MASK
    return word - 2**32 if word >= 2**31 else word


@triton.jit
def _halves(word):
    """Both 16-bit halves, each h centred as 2h - 65535."""
    return (word >> 16).to(tl.int32) * 2 - 65535, (word & 0xFFFF).to(tl.int32) * 2 - 65535


@triton.jit
def _store(out_ptr, offsets, n, raw, scale, offset, SHIFTED: tl.constexpr, AS_BFLOAT16: tl.constexpr):  # noqa: N803
    value = raw.to(tl.float32) * scale
    if SHIFTED:
        value = value + offset
    if AS_BFLOAT16:
        bits = value.to(tl.int32, bitcast=True)
        nearest_even = ((bits >> 16) & 1) + 0x7FFF
        tl.store(out_ptr + offsets, ((bits + nearest_even) >> 16).to(tl.int16), mask=offsets < n)
    else:
        tl.store(out_ptr + offsets, value.to(out_ptr.dtype.element_ty), mask=offsets < n)


@triton.jit(do_not_specialize=["n", "stream", "counter_0", "counter_1", "key_0", "key_1", "scale", "offset"])
def _fill_tile(
    out_ptr,
    n,
    stream,
    counter_0,
    counter_1,
    key_0,
    key_1,
    scale,
    offset,
    UNIFORM: tl.constexpr,  # noqa: N803
    SHIFTED: tl.constexpr,  # noqa: N803
    AS_BFLOAT16: tl.constexpr,  # noqa: N803
    TILE: tl.constexpr,  # noqa: N803
    N_ROUNDS: tl.constexpr,  # noqa: N803
    M0: tl.constexpr,  # noqa: N803
    M1: tl.constexpr,  # noqa: N803
    W0: tl.constexpr,  # noqa: N803
    W1: tl.constexpr,  # noqa: N803
):
    tile = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, TILE)
    c0 = (tile * TILE + lanes).to(tl.uint32)
    c1 = tl.zeros([TILE], dtype=tl.uint32) + stream.to(tl.uint32, bitcast=True)
    c2 = tl.zeros([TILE], dtype=tl.uint32) + counter_0.to(tl.uint32, bitcast=True)
    c3 = tl.zeros([TILE], dtype=tl.uint32) + counter_1.to(tl.uint32, bitcast=True)
    k0 = tl.zeros([TILE], dtype=tl.uint32) + key_0.to(tl.uint32, bitcast=True)
    k1 = tl.zeros([TILE], dtype=tl.uint32) + key_1.to(tl.uint32, bitcast=True)
    for _ in tl.static_range(N_ROUNDS):
        product_0 = c0.to(tl.uint64) * M0
        product_1 = c2.to(tl.uint64) * M1
        c0 = (product_1 >> 32).to(tl.uint32) ^ c1 ^ k0
        c1 = product_1.to(tl.uint32)
        c2 = (product_0 >> 32).to(tl.uint32) ^ c3 ^ k1
        c3 = product_0.to(tl.uint32)
        k0 = k0 + W0
        k1 = k1 + W1
    if UNIFORM:
        at = tile * (4 * TILE) + lanes
        _store(out_ptr, at, n, c0 >> 8, scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + TILE, n, c1 >> 8, scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + 2 * TILE, n, c2 >> 8, scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + 3 * TILE, n, c3 >> 8, scale, offset, SHIFTED, AS_BFLOAT16)
    else:
        at = tile * (8 * TILE) + lanes
        a, b = _halves(c0)
        c, d = _halves(c1)
        _store(out_ptr, at, n, (a + b) + (c + d), scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + TILE, n, (a + b) - (c + d), scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + 2 * TILE, n, (a - b) + (c - d), scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + 3 * TILE, n, (a - b) - (c - d), scale, offset, SHIFTED, AS_BFLOAT16)
        a, b = _halves(c2)
        c, d = _halves(c3)
        _store(out_ptr, at + 4 * TILE, n, (a + b) + (c + d), scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + 5 * TILE, n, (a + b) - (c + d), scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + 6 * TILE, n, (a - b) + (c - d), scale, offset, SHIFTED, AS_BFLOAT16)
        _store(out_ptr, at + 7 * TILE, n, (a - b) - (c - d), scale, offset, SHIFTED, AS_BFLOAT16)

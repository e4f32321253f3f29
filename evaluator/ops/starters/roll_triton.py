import math

import torch
import triton
import triton.language as tl


@triton.jit
def roll_kernel(x_ptr, out_ptr, n, size, inner, shift, BLOCK: tl.constexpr):
    # Both are (outer, size, inner); 0 <= shift < size.
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    row = place // inner % size
    source = tl.where(row < shift, row + size - shift, row - shift)
    tl.store(out_ptr + place, tl.load(x_ptr + place + (source - row) * inner, mask=place < n), mask=place < n)


def roll_kernel_impl(x, shifts, dims):
    out = x.contiguous()
    if not x.numel():
        return torch.empty_like(out)
    # One dimension at a time.
    for shift, dim in zip(shifts, dims, strict=True):
        size, inner = x.shape[dim], math.prod(x.shape[dim % x.dim() + 1 :])
        given, out = out, torch.empty_like(out)
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 32768
        roll_kernel[(triton.cdiv(x.numel(), block),)](given, out, x.numel(), size, inner, shift % size, BLOCK=block)
    return out

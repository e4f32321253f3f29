import math

import torch
import triton
import triton.language as tl


@triton.jit
def index_add_kernel(total_ptr, index_ptr, source_ptr, n, size, added, inner, alpha, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    index = tl.load(index_ptr + places // inner % added, mask=mask, other=0).to(tl.int64)
    outer = places // (added * inner)
    values = tl.load(source_ptr + places, mask=mask, other=0.0).to(tl.float32)
    tl.atomic_add(total_ptr + (outer * size + index) * inner + places % inner, alpha * values, mask=mask)


def index_add_kernel_impl(x, dim, index, source, alpha=1):
    dim %= x.dim()
    total = x.to(torch.float32, memory_format=torch.contiguous_format, copy=True)
    index, source = index.contiguous(), source.contiguous()
    n = source.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        inner = math.prod(x.shape[dim + 1 :])
        grid = (triton.cdiv(n, block),)
        index_add_kernel[grid](total, index, source, n, x.shape[dim], index.numel(), inner, float(alpha), BLOCK=block)
    return total.to(x.dtype)

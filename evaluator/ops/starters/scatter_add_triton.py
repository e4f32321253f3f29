import math

import torch
import triton
import triton.language as tl


@triton.jit
def scatter_add_kernel(total_ptr, index_ptr, src_ptr, n, size, added, inner, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    index = tl.load(index_ptr + places, mask=mask, other=0)
    outer = places // (added * inner)
    values = tl.load(src_ptr + places, mask=mask, other=0.0).to(tl.float32)
    tl.atomic_add(total_ptr + (outer * size + index) * inner + places % inner, values, mask=mask)


def scatter_add_kernel_impl(x, dim, index, src):
    dim %= x.dim()
    total = x.to(torch.float32, memory_format=torch.contiguous_format, copy=True)
    # Other dimensions of the index may be shorter than the input's: only that part is added to.
    part = total[tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))]
    touched = part.contiguous()
    src = src[tuple(slice(n) for n in index.shape)].contiguous()
    n = index.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        inner = math.prod(touched.shape[dim + 1 :])
        grid = (triton.cdiv(n, block),)
        scatter_add_kernel[grid](touched, index.contiguous(), src, n, x.shape[dim], index.shape[dim], inner, BLOCK=block)
        part.copy_(touched)
    return total.to(x.dtype)

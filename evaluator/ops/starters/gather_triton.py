import math

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(x_ptr, index_ptr, out_ptr, n, size, taken, inner, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    index = tl.load(index_ptr + places, mask=mask, other=0)
    outer = places // (taken * inner)
    values = tl.load(x_ptr + (outer * size + index) * inner + places % inner, mask=mask)
    tl.store(out_ptr + places, values, mask=mask)


def gather_kernel_impl(x, dim, index):
    dim %= x.dim()
    # Other dimensions of the index may be shorter than the input's: leave the rest of the input out.
    x = x[tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))].contiguous()
    out = torch.empty(index.shape, dtype=x.dtype, device=x.device)
    n = out.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        inner = math.prod(x.shape[dim + 1 :])
        gather_kernel[(triton.cdiv(n, block),)](x, index.contiguous(), out, n, x.shape[dim], index.shape[dim], inner, BLOCK=block)
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    size = tl.abs(x)
    e = tl.exp(-2 * size)
    # Near zero, 1 - e has few digits left: there, the first terms of the series.
    s = x * x
    series = size * (1 + s * (-1 / 3 + s * (2 / 15 - s * 17 / 315)))
    y = tl.where(size < 0.25, series, (1 - e) / (1 + e))
    y = tl.where(x < 0, -y, y)
    tl.store(out_ptr + offsets, y, mask=mask)


def tanh_kernel_impl(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        tanh_kernel[(triton.cdiv(n, block),)](x, out, n, BLOCK=block)
    return out

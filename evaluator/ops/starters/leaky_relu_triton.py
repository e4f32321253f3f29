import torch
import triton
import triton.language as tl


@triton.jit
def leaky_relu_kernel(x_ptr, out_ptr, n, slope, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.where(x > 0, x, x * slope)
    tl.store(out_ptr + offsets, y, mask=mask)


def leaky_relu_kernel_impl(x, negative_slope=0.01):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        leaky_relu_kernel[(triton.cdiv(n, block),)](x, out, n, negative_slope, BLOCK=block)
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def softplus_kernel(x_ptr, out_ptr, n, beta, threshold, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    z = x * beta
    e = tl.exp(tl.minimum(z, threshold))
    # log(1 + e) with the digits that the sum loses: (sum - 1) is what was really added.
    total = 1 + e
    added = total - 1
    y = tl.where(added == 0, e, tl.log(total) * (e / added)) / beta
    y = tl.where(z > threshold, x, y)
    tl.store(out_ptr + offsets, y, mask=mask)


def softplus_kernel_impl(x, beta=1, threshold=20):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        softplus_kernel[(triton.cdiv(n, block),)](x, out, n, float(beta), float(threshold), BLOCK=block)
    return out

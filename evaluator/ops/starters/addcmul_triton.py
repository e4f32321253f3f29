import torch
import triton
import triton.language as tl


@triton.jit
def addcmul_kernel(x_ptr, a_ptr, b_ptr, out_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    a = tl.load(a_ptr + offsets, mask=mask).to(tl.float32)
    b = tl.load(b_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, x + value * a * b, mask=mask)


def addcmul_kernel_impl(x, a, b, value=1):
    x, a, b = torch.broadcast_tensors(x, a, b)
    x, a, b = x.contiguous(), a.contiguous(), b.contiguous()
    out = torch.empty_like(x)
    n = out.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        addcmul_kernel[(triton.cdiv(n, block),)](x, a, b, out, n, float(value), BLOCK=block)
    return out

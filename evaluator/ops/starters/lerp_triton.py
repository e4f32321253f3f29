import torch
import triton
import triton.language as tl


@triton.jit
def lerp_kernel(x_ptr, end_ptr, weight_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    end = tl.load(end_ptr + offsets, mask=mask).to(tl.float32)
    weight = tl.load(weight_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, x + weight * (end - x), mask=mask)


def lerp_kernel_impl(x, end, weight):
    x, end, weight = torch.broadcast_tensors(x, end, weight)
    x, end, weight = x.contiguous(), end.contiguous(), weight.contiguous()
    out = torch.empty_like(x)
    n = out.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        lerp_kernel[(triton.cdiv(n, block),)](x, end, weight, out, n, BLOCK=block)
    return out

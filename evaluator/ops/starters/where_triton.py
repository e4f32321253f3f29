import torch
import triton
import triton.language as tl


@triton.jit
def where_kernel(condition_ptr, x_ptr, other_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    condition = tl.load(condition_ptr + offsets, mask=mask)
    x = tl.load(x_ptr + offsets, mask=mask)
    other = tl.load(other_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.where(condition, x, other), mask=mask)


def where_kernel_impl(condition, x, other):
    condition, x, other = torch.broadcast_tensors(condition, x, other)
    condition, x, other = condition.contiguous(), x.contiguous(), other.contiguous()
    out = torch.empty_like(x)
    n = out.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        where_kernel[(triton.cdiv(n, block),)](condition, x, other, out, n, BLOCK=block)
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    value = tl.load(x_ptr + places, mask=mask, other=0)
    tl.atomic_add(counts_ptr + value, tl.full([BLOCK], 1, tl.int64), mask=mask)


def histogram_kernel_impl(x, bins):
    x = x.contiguous()
    counts = torch.zeros(bins, dtype=torch.int64, device=x.device)
    n = x.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        histogram_kernel[(triton.cdiv(n, block),)](x, counts, n, BLOCK=block)
    return counts

import torch
import triton
import triton.language as tl


@triton.jit
def masked_fill_kernel(x_ptr, chosen_ptr, out_ptr, n, value, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    x = tl.load(x_ptr + places, mask=mask).to(tl.float32)
    chosen = tl.load(chosen_ptr + places, mask=mask, other=0)
    tl.store(out_ptr + places, tl.where(chosen != 0, value, x), mask=mask)


def masked_fill_kernel_impl(x, mask, value):
    x = x.contiguous()
    chosen = mask.expand(x.shape).contiguous().view(torch.uint8)
    out = torch.empty_like(x)
    n = x.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 65536
        masked_fill_kernel[(triton.cdiv(n, block),)](x, chosen, out, n, float(value), BLOCK=block)
    return out

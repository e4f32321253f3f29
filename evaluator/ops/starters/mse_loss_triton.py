import torch
import triton
import triton.language as tl


@triton.jit
def mse_loss_kernel(x_ptr, target_ptr, out_ptr, n, REDUCED: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    target = tl.load(target_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    loss = (x - target) * (x - target)
    if REDUCED:
        tl.store(out_ptr + tl.program_id(0), tl.sum(tl.where(mask, loss, 0.0), axis=0))
    else:
        tl.store(out_ptr + offsets, loss, mask=mask)


def mse_loss_kernel_impl(x, target, reduction="mean"):
    x, target = x.contiguous(), target.contiguous()
    n = x.numel()
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    block = 1024 if x.is_cuda else 65536
    grid = (triton.cdiv(n, block),)
    reduced = reduction != "none"
    # Without reduction an element each, else a sum of each block.
    out = torch.empty(grid, dtype=torch.float32, device=x.device) if reduced else torch.empty_like(x)
    mse_loss_kernel[grid](x, target, out, n, REDUCED=reduced, BLOCK=block)
    if reduced:
        total = out.sum()
        out = (total / n if reduction == "mean" else total).to(x.dtype)
    return out

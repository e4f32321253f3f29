import torch
import triton
import triton.language as tl


@triton.jit
def bce_kernel(
    x_ptr,
    target_ptr,
    weight_ptr,
    pos_weight_ptr,
    out_ptr,
    n,
    HAS_WEIGHT: tl.constexpr,
    HAS_POS_WEIGHT: tl.constexpr,
    REDUCED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    target = tl.load(target_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    # -log(s) and -log(1 - s) of s = 1 / (1 + exp(-x)), without overflow.
    e = tl.exp(-tl.abs(x))
    # Below 1e-4, 1 + e rounds most of e away; the series does not.
    tail = tl.where(e < 1e-4, e * (1.0 - 0.5 * e), tl.log(1.0 + e))
    yes, no = tail + tl.maximum(-x, 0.0), tail + tl.maximum(x, 0.0)
    if HAS_POS_WEIGHT:
        yes = yes * tl.load(pos_weight_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    loss = target * yes + (1.0 - target) * no
    if HAS_WEIGHT:
        loss = loss * tl.load(weight_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    if REDUCED:
        tl.store(out_ptr + tl.program_id(0), tl.sum(tl.where(mask, loss, 0.0), axis=0))
    else:
        tl.store(out_ptr + offsets, loss, mask=mask)


def binary_cross_entropy_with_logits_kernel_impl(x, target, weight=None, pos_weight=None, reduction="mean"):
    x, target = x.contiguous(), target.contiguous()
    n = x.numel()
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    block = 1024 if x.is_cuda else 65536
    grid = (triton.cdiv(n, block),)
    reduced = reduction != "none"
    # Without reduction an element each, else a sum of each block.
    out = torch.empty(grid, dtype=torch.float32, device=x.device) if reduced else torch.empty_like(x)
    bce_kernel[grid](
        x,
        target,
        x if weight is None else weight.expand_as(x).contiguous(),
        x if pos_weight is None else pos_weight.expand_as(x).contiguous(),
        out,
        n,
        HAS_WEIGHT=weight is not None,
        HAS_POS_WEIGHT=pos_weight is not None,
        REDUCED=reduced,
        BLOCK=block,
    )
    if reduced:
        total = out.sum()
        out = (total / n if reduction == "mean" else total).to(x.dtype)
    return out

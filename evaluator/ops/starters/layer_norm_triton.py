import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, columns, eps, HAS_WEIGHT: tl.constexpr, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=0.0).to(tl.float32)
    # The mean goes first: E[x²] - E[x]² loses every digit when the variance is small.
    y = tl.where(mask, x - tl.sum(x, axis=0) / columns, 0.0)
    y = y * tl.rsqrt(tl.sum(y * y, axis=0) / columns + eps)
    if HAS_WEIGHT:
        y = y * tl.load(weight_ptr + offsets, mask=mask).to(tl.float32)
    if HAS_BIAS:
        y = y + tl.load(bias_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * columns + offsets, y, mask=mask)


def layer_norm_kernel_impl(x, normalized_shape, weight=None, bias=None, eps=1e-05):
    x = x.contiguous()
    out = torch.empty_like(x)
    columns = 1
    for size in normalized_shape:
        columns *= size
    block = triton.next_power_of_2(columns)
    layer_norm_kernel[(x.numel() // columns,)](
        x,
        x if weight is None else weight.contiguous(),
        x if bias is None else bias.contiguous(),
        out,
        columns,
        eps,
        HAS_WEIGHT=weight is not None,
        HAS_BIAS=bias is not None,
        BLOCK=block,
        num_warps=min(16, max(4, block // 1024)),
    )
    return out

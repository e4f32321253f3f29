import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, out_ptr, columns, eps, HAS_WEIGHT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    if HAS_WEIGHT:
        y = y * tl.load(weight_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * columns + offsets, y, mask=mask)


def rms_norm_kernel_impl(x, normalized_shape, weight=None, eps=1e-06):
    x = x.contiguous()
    out = torch.empty_like(x)
    columns = 1
    for size in normalized_shape:
        columns *= size
    block = triton.next_power_of_2(columns)
    rms_norm_kernel[(x.numel() // columns,)](
        x,
        x if weight is None else weight.contiguous(),
        out,
        columns,
        eps,
        HAS_WEIGHT=weight is not None,
        BLOCK=block,
        num_warps=min(16, max(4, block // 1024)),
    )
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def batch_norm_kernel(
    x_ptr,
    mean_ptr,
    var_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    n,
    channels,
    space,
    eps,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    channel = offsets // space % channels
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    mean = tl.load(mean_ptr + channel, mask=mask, other=0.0).to(tl.float32)
    var = tl.load(var_ptr + channel, mask=mask, other=1.0).to(tl.float32)
    y = (x - mean) * tl.rsqrt(var + eps)
    if HAS_WEIGHT:
        y = y * tl.load(weight_ptr + channel, mask=mask, other=0.0).to(tl.float32)
    if HAS_BIAS:
        y = y + tl.load(bias_ptr + channel, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, y, mask=mask)


def batch_norm_kernel_impl(x, running_mean, running_var, weight=None, bias=None, eps=1e-05):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    block = 1024 if x.is_cuda else 65536
    batch_norm_kernel[(triton.cdiv(n, block),)](
        x,
        running_mean.contiguous(),
        running_var.contiguous(),
        x if weight is None else weight.contiguous(),
        x if bias is None else bias.contiguous(),
        out,
        n,
        x.shape[1],
        x[0, 0].numel(),
        eps,
        HAS_WEIGHT=weight is not None,
        HAS_BIAS=bias is not None,
        BLOCK=block,
    )
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    groups,
    channels,
    space,
    eps,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    # One program a group: its channels lie together in memory.
    size = channels * space
    start_of_group = tl.program_id(0).to(tl.int64) * size
    first_channel = tl.program_id(0) % groups * channels
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + start_of_group + offsets, mask=offsets < size, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / size
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + start_of_group + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        deviation = tl.where(offsets < size, x - mean, 0.0)
        squares += deviation * deviation
    factor = tl.rsqrt(tl.sum(squares, axis=0) / size + eps)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < size
        y = (tl.load(x_ptr + start_of_group + offsets, mask=mask, other=0.0).to(tl.float32) - mean) * factor
        channel = first_channel + offsets // space
        if HAS_WEIGHT:
            y = y * tl.load(weight_ptr + channel, mask=mask, other=0.0).to(tl.float32)
        if HAS_BIAS:
            y = y + tl.load(bias_ptr + channel, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + start_of_group + offsets, y, mask=mask)


def group_norm_kernel_impl(x, num_groups, weight=None, bias=None, eps=1e-05):
    x = x.contiguous()
    out = torch.empty_like(x)
    channels, space = x.shape[1] // num_groups, x[0, 0].numel()
    # Triton's interpreter pays for every operation, a GPU for every register.
    block = min(4096 if x.is_cuda else 65536, triton.next_power_of_2(channels * space))
    group_norm_kernel[(x.shape[0] * num_groups,)](
        x,
        x if weight is None else weight.contiguous(),
        x if bias is None else bias.contiguous(),
        out,
        num_groups,
        channels,
        space,
        eps,
        HAS_WEIGHT=weight is not None,
        HAS_BIAS=bias is not None,
        BLOCK=block,
        num_warps=8,
    )
    return out

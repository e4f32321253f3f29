import torch
import triton
import triton.language as tl

# Compiled once for all sizes, strides and dilations, not for each: that takes a second or two.
GEOMETRY = ["rows", "size", "places", "kernel", "stride", "padding", "dilation"]


@triton.jit(do_not_specialize=GEOMETRY)
def conv1d_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, rows, channels, size, out_channels, places, kernel, stride, padding, dilation,
    HAS_BIAS: tl.constexpr, TILE_P: tl.constexpr, TILE_O: tl.constexpr, TILE_K: tl.constexpr,
):  # fmt: skip
    # A matrix product: a row for each place in each sample, a column for each output channel of one group.
    row = (tl.program_id(0) * TILE_P + tl.arange(0, TILE_P)).to(tl.int64)[:, None]
    column = tl.program_id(1) * TILE_O + tl.arange(0, TILE_O)[None, :]
    group, groups = tl.program_id(2).to(tl.int64), tl.num_programs(2)
    sample, place = row // places, (row % places).to(tl.int32)
    samples = x_ptr + (sample * groups + group) * channels * size
    filters = weight_ptr + (group * out_channels + column) * channels * kernel
    total = tl.zeros([TILE_P, TILE_O], dtype=tl.float32)
    for start in range(0, channels * kernel, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        channel, tap = (inner // kernel)[None, :], (inner % kernel)[None, :]
        at = place * stride - padding + tap * dilation
        x = tl.load(
            samples + channel.to(tl.int64) * size + at, mask=(row < rows) & (channel < channels) & (at >= 0) & (at < size), other=0.0
        )
        weight = tl.load(filters + inner[:, None], mask=(inner[:, None] < channels * kernel) & (column < out_channels), other=0.0)
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        total = tl.dot(x, weight, total, input_precision="ieee")
    if HAS_BIAS:
        total += tl.load(bias_ptr + group * out_channels + column, mask=column < out_channels, other=0.0).to(tl.float32)
    out = out_ptr + ((sample * groups + group) * out_channels + column) * places + place
    tl.store(out, total, mask=(row < rows) & (column < out_channels))


def conv1d_kernel_impl(x, weight, bias=None, stride=(1,), padding=(0,), dilation=(1,), groups=1):
    x, weight = x.contiguous(), weight.contiguous()
    (samples, _, size), (out_channels, channels, kernel) = x.shape, weight.shape
    places = (size + 2 * padding[0] - dilation[0] * (kernel - 1) - 1) // stride[0] + 1
    out = torch.empty((samples, out_channels, places), dtype=x.dtype, device=x.device)
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    tile_p, tile_o, tile_k = (64, 64, 32) if x.is_cuda else (512, 128, 128)
    grid = (triton.cdiv(samples * places, tile_p), triton.cdiv(out_channels // groups, tile_o), groups)
    conv1d_kernel[grid](
        x, weight, x if bias is None else bias.contiguous(), out, samples * places, channels, size, out_channels // groups, places,
        kernel, stride[0], padding[0], dilation[0], HAS_BIAS=bias is not None, TILE_P=tile_p, TILE_O=tile_o, TILE_K=tile_k,
    )  # fmt: skip
    return out

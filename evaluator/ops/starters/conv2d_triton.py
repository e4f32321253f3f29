import torch
import triton
import triton.language as tl

# Compiled once for all sizes, strides and dilations, not for each: that takes a second or two.
GEOMETRY = ["rows", "height", "width", "out_height", "out_width", "kernel_h", "kernel_w"]
GEOMETRY += ["stride_h", "stride_w", "padding_h", "padding_w", "dilation_h", "dilation_w"]


@triton.jit(do_not_specialize=GEOMETRY)
def conv2d_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, rows, channels, height, width, out_channels, out_height, out_width,
    kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w,
    HAS_BIAS: tl.constexpr, TILE_P: tl.constexpr, TILE_O: tl.constexpr, TILE_K: tl.constexpr,
):  # fmt: skip
    # A matrix product: a row for each output pixel of each sample, a column for each output channel of one group.
    row = (tl.program_id(0) * TILE_P + tl.arange(0, TILE_P)).to(tl.int64)[:, None]
    column = tl.program_id(1) * TILE_O + tl.arange(0, TILE_O)[None, :]
    group, groups = tl.program_id(2).to(tl.int64), tl.num_programs(2)
    pixels, taps = out_height * out_width, kernel_h * kernel_w
    sample, pixel = row // pixels, (row % pixels).to(tl.int32)
    top = pixel // out_width * stride_h - padding_h
    left = pixel % out_width * stride_w - padding_w
    samples = x_ptr + (sample * groups + group) * channels * height * width
    filters = weight_ptr + (group * out_channels + column) * channels * taps
    total = tl.zeros([TILE_P, TILE_O], dtype=tl.float32)
    for start in range(0, channels * taps, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        channel, tap = (inner // taps)[None, :], (inner % taps)[None, :]
        y = top + tap // kernel_w * dilation_h
        x = left + tap % kernel_w * dilation_w
        inside = (row < rows) & (channel < channels) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        values = tl.load(samples + channel.to(tl.int64) * height * width + (y * width + x), mask=inside, other=0.0)
        weight = tl.load(filters + inner[:, None], mask=(inner[:, None] < channels * taps) & (column < out_channels), other=0.0)
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        total = tl.dot(values, weight, total, input_precision="ieee")
    if HAS_BIAS:
        total += tl.load(bias_ptr + group * out_channels + column, mask=column < out_channels, other=0.0).to(tl.float32)
    out = out_ptr + ((sample * groups + group) * out_channels + column) * pixels + pixel
    tl.store(out, total, mask=(row < rows) & (column < out_channels))


def conv2d_kernel_impl(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    x, weight = x.contiguous(), weight.contiguous()
    (samples, _, *size), (out_channels, channels, *kernel) = x.shape, weight.shape
    height, width = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True)]
    out = torch.empty((samples, out_channels, height, width), dtype=x.dtype, device=x.device)
    rows = samples * height * width
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    tile_p, tile_o, tile_k = (64, 64, 32) if x.is_cuda else (512, 128, 128)
    grid = (triton.cdiv(rows, tile_p), triton.cdiv(out_channels // groups, tile_o), groups)
    conv2d_kernel[grid](
        x, weight, x if bias is None else bias.contiguous(), out, rows, channels, *size, out_channels // groups, height, width,
        *kernel, *stride, *padding, *dilation, HAS_BIAS=bias is not None, TILE_P=tile_p, TILE_O=tile_o, TILE_K=tile_k,
    )  # fmt: skip
    return out

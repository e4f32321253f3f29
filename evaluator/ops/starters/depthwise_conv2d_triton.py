import torch
import triton
import triton.language as tl


@triton.jit
def depthwise_conv2d_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, planes, filters, filters_a_channel, height, width, out_height, out_width,
    kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w,
    HAS_BIAS: tl.constexpr, PLANES: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    # A plane is one output channel of one sample.
    plane = (tl.program_id(0) * PLANES + tl.arange(0, PLANES)).to(tl.int64)[:, None]
    pixel = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    plane_mask, pixel_mask = plane < planes, pixel < out_height * out_width
    # As many input planes as output planes over `filters_a_channel`, in the same order.
    image = x_ptr + plane // filters_a_channel * height * width
    top = pixel // out_width * stride_h - padding_h
    left = pixel % out_width * stride_w - padding_w
    total = tl.zeros([PLANES, BLOCK], dtype=tl.float32)
    for tap in range(kernel_h * kernel_w):
        y = top + tap // kernel_w * dilation_h
        x = left + tap % kernel_w * dilation_w
        inside = plane_mask & pixel_mask & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        weight = tl.load(weight_ptr + plane % filters * kernel_h * kernel_w + tap, mask=plane_mask, other=0.0).to(tl.float32)
        total += weight * tl.load(image + y * width + x, mask=inside, other=0.0).to(tl.float32)
    if HAS_BIAS:
        total += tl.load(bias_ptr + plane % filters, mask=plane_mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + plane * out_height * out_width + pixel, total, mask=plane_mask & pixel_mask)


def depthwise_conv2d_kernel_impl(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1)):
    x, weight = x.contiguous(), weight.contiguous()
    (samples, channels, *size), (filters, _, *kernel) = x.shape, weight.shape
    height, width = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True)]
    out = torch.empty((samples, filters, height, width), dtype=x.dtype, device=x.device)
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    planes, block = (4, 256) if x.is_cuda else (64, min(4096, triton.next_power_of_2(height * width)))
    grid = (triton.cdiv(samples * filters, planes), triton.cdiv(height * width, block))
    depthwise_conv2d_kernel[grid](
        x, weight, x if bias is None else bias.contiguous(), out, samples * filters, filters, filters // channels, *size, height, width,
        *kernel, *stride, *padding, *dilation, HAS_BIAS=bias is not None, PLANES=planes, BLOCK=block,
    )  # fmt: skip
    return out

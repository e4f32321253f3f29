import torch
import triton
import triton.language as tl


@triton.jit
def max_pool2d_kernel(
    x_ptr, out_ptr, n, height, width, out_height, out_width,
    kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, BLOCK: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    top = place // out_width % out_height * stride_h - padding_h
    left = place % out_width * stride_w - padding_w
    image = x_ptr + place // (out_height * out_width) * height * width
    best = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for tap in range(kernel_h * kernel_w):
        y = top + tap // kernel_w * dilation_h
        x = left + tap % kernel_w * dilation_w
        inside = (place < n) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        value = tl.load(image + y * width + x, mask=inside, other=-float("inf")).to(tl.float32)
        # NaN, which does not equal itself, wins.
        best = tl.where((value > best) | (value != value), value, best)
    tl.store(out_ptr + place, best, mask=place < n)


def max_pool2d_kernel_impl(x, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False):
    x, stride, places = x.contiguous(), stride or kernel_size, []
    for size, k, s, p, d in zip(x.shape[2:], kernel_size, stride, padding, dilation, strict=True):
        room = size + 2 * p - d * (k - 1) - 1
        count = (triton.cdiv(room, s) if ceil_mode else room // s) + 1
        # The last window must start inside of the image.
        places.append(count - 1 if ceil_mode and (count - 1) * s >= size + p else count)
    out = torch.empty((*x.shape[:2], *places), dtype=x.dtype, device=x.device)
    if out.numel():
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 512 if x.is_cuda else min(65536, triton.next_power_of_2(out.numel()))
        max_pool2d_kernel[(triton.cdiv(out.numel(), block),)](
            x, out, out.numel(), *x.shape[2:], *places, *kernel_size, *stride, *padding, *dilation, BLOCK=block
        )
    return out

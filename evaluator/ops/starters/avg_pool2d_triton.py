import torch
import triton
import triton.language as tl


@triton.jit
def avg_pool2d_kernel(
    x_ptr, out_ptr, n, height, width, out_height, out_width, kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, divisor,
    COUNT_PADDING: tl.constexpr, COUNT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    top = place // out_width % out_height * stride_h - padding_h
    left = place % out_width * stride_w - padding_w
    image = x_ptr + place // (out_height * out_width) * height * width
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for tap in range(kernel_h * kernel_w):
        y = top + tap // kernel_w
        x = left + tap % kernel_w
        inside = (place < n) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        total += tl.load(image + y * width + x, mask=inside, other=0.0).to(tl.float32)
    if COUNT:
        bottom, right = tl.minimum(top + kernel_h, height + padding_h), tl.minimum(left + kernel_w, width + padding_w)
        if not COUNT_PADDING:
            top, left = tl.maximum(top, 0), tl.maximum(left, 0)
            bottom, right = tl.minimum(bottom, height), tl.minimum(right, width)
        mean = total / ((bottom - top) * (right - left)).to(tl.float32)
    else:
        mean = total / divisor
    tl.store(out_ptr + place, mean, mask=place < n)


def avg_pool2d_kernel_impl(x, kernel_size, stride=(), padding=(0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None):
    x, stride, places = x.contiguous(), stride or kernel_size, []
    for size, k, s, p in zip(x.shape[2:], kernel_size, stride, padding, strict=True):
        room = size + 2 * p - k
        count = (triton.cdiv(room, s) if ceil_mode else room // s) + 1
        # The last window must start inside of the image.
        places.append(count - 1 if ceil_mode and (count - 1) * s >= size + p else count)
    out = torch.empty((*x.shape[:2], *places), dtype=x.dtype, device=x.device)
    if out.numel():
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 512 if x.is_cuda else min(65536, triton.next_power_of_2(out.numel()))
        avg_pool2d_kernel[(triton.cdiv(out.numel(), block),)](
            x, out, out.numel(), *x.shape[2:], *places, *kernel_size, *stride, *padding, divisor_override or 1,
            COUNT_PADDING=count_include_pad, COUNT=divisor_override is None, BLOCK=block,
        )  # fmt: skip
    return out

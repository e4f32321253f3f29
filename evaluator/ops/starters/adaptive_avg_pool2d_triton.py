import torch
import triton
import triton.language as tl


@triton.jit
def adaptive_avg_pool2d_kernel(x_ptr, out_ptr, n, height, width, out_height, out_width, tallest, widest, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    row, column = place // out_width % out_height, place % out_width
    top, bottom = row * height // out_height, ((row + 1) * height + out_height - 1) // out_height
    left, right = column * width // out_width, ((column + 1) * width + out_width - 1) // out_width
    image = x_ptr + place // (out_height * out_width) * height * width
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for tap in range(tallest * widest):
        y, x = top + tap // widest, left + tap % widest
        total += tl.load(image + y * width + x, mask=(place < n) & (y < bottom) & (x < right), other=0.0).to(tl.float32)
    tl.store(out_ptr + place, total / ((bottom - top) * (right - left)).to(tl.float32), mask=place < n)


def adaptive_avg_pool2d_kernel_impl(x, output_size):
    x = x.contiguous()
    out = torch.empty((*x.shape[:2], *output_size), dtype=x.dtype, device=x.device)
    # No part is longer than this: all are size / places long, rounded up, or one more.
    longest = [triton.cdiv(size, places) + (size % places > 0) for size, places in zip(x.shape[2:], output_size, strict=True)]
    if out.numel():
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 256 if x.is_cuda else min(65536, triton.next_power_of_2(out.numel()))
        adaptive_avg_pool2d_kernel[(triton.cdiv(out.numel(), block),)](
            x, out, out.numel(), *x.shape[2:], *output_size, *longest, BLOCK=block
        )
    return out

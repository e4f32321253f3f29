import math

import torch
import triton
import triton.language as tl


@triton.jit
def pad_kernel(x_ptr, out_ptr, outer, width, out_width, inner, before, value, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    # x is (outer, width), out (outer, out_width): all places of one dimension, each with the `inner` elements behind it.
    blocks = tl.cdiv(out_width, BLOCK)
    row = (tl.program_id(0) // blocks * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    column = (tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK))[None, :]
    source = column - before * inner
    values = tl.load(x_ptr + row * width + source, mask=(row < outer) & (source >= 0) & (source < width), other=value)
    tl.store(out_ptr + row * out_width + column, values, mask=(row < outer) & (column < out_width))


def pad_kernel_impl(x, pad, value=0.0):
    out = x = x.contiguous()
    # One dimension at a time, the last one first.
    for n in range(len(pad) // 2):
        dim, shape, (before, after) = x.dim() - 1 - n, list(out.shape), pad[2 * n : 2 * n + 2]
        outer, inner = math.prod(shape[:dim]), math.prod(shape[dim + 1 :])
        width, shape[dim] = shape[dim] * inner, shape[dim] + before + after
        if before or after:
            given, out = out, torch.empty(shape, dtype=x.dtype, device=x.device)
            if out.numel():
                out_width = shape[dim] * inner
                # Triton's interpreter pays for every program, a GPU for every idle lane.
                area = 1024 if x.is_cuda else 65536
                block = min(area, triton.next_power_of_2(out_width))
                grid = (triton.cdiv(outer, area // block) * triton.cdiv(out_width, block),)
                pad_kernel[grid](given, out, outer, width, out_width, inner, before, value, ROWS=area // block, BLOCK=block)
    return out.clone() if out is x else out

import torch
import triton
import triton.language as tl


@triton.jit
def to_e4m3(x):
    """The eight bits of the nearest float8_e4m3fn, by integer arithmetic: not every GPU has an instruction for it."""
    magnitude = tl.abs(x)
    bits = magnitude.to(tl.int32, bitcast=True)
    # Keep 3 of 23 bits after the point, rounded to even, and count exponents from 7 in place of 127.
    normal = ((bits + 0x7FFFF + ((bits >> 20) & 1)) >> 20) - (120 << 3)
    # Below 2**-6 numbers lie 2**-9 apart; so do float32 numbers from 2**14 on, and the addition rounds.
    small = (magnitude + 16384.0).to(tl.int32, bitcast=True) - 0x46800000
    code = tl.where(magnitude < 0.015625, small, tl.minimum(normal, 0x7E))
    return tl.where(x < 0.0, code + 128, code).to(tl.uint8)


@triton.jit
def quantize_fp8_kernel(x_ptr, values_ptr, scale_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    largest = tl.zeros([ROWS, 1], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(x_ptr + row * columns + column, mask=(row < rows) & (column < columns), other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.max(tl.abs(x), axis=1)[:, None])
    scale = tl.where(largest > 0.0, largest / 448.0, 1.0)
    tl.store(scale_ptr + row, scale, mask=row < rows)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)[None, :]
        mask = (row < rows) & (column < columns)
        x = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0).to(tl.float32)
        tl.store(values_ptr + row * columns + column, to_e4m3(x / scale), mask=mask)


def quantize_fp8_kernel_impl(x):
    x = x.contiguous()
    columns = x.shape[-1]
    values = torch.empty(x.shape, dtype=torch.float8_e4m3fn, device=x.device)
    scale = torch.empty((*x.shape[:-1], 1), dtype=torch.float32, device=x.device)
    rows = scale.numel()
    if rows:
        # Triton's interpreter pays for every operation, a GPU for every register.
        block = min(4096 if x.is_cuda else 65536, triton.next_power_of_2(columns))
        at_once = 1 if x.is_cuda else min(64, 65536 // block)
        grid = (triton.cdiv(rows, at_once),)
        quantize_fp8_kernel[grid](x, values.view(torch.uint8), scale, rows, columns, ROWS=at_once, BLOCK=block)
    return values, scale

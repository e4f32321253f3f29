import math

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_copy_kernel(x_ptr, out_ptr, rows, columns, between, after, TILE: tl.constexpr):
    # x is (before, rows, between, columns, after), out (before, columns, between, rows, after); a program moves one tile.
    tiles_down, tiles_across = tl.cdiv(rows, TILE), tl.cdiv(columns, TILE)
    tile, matrix = tl.program_id(0) % (tiles_down * tiles_across), tl.program_id(0) // (tiles_down * tiles_across)
    row = (tile // tiles_across * TILE + tl.arange(0, TILE)).to(tl.int64)[:, None]
    column = (tile % tiles_across * TILE + tl.arange(0, TILE)).to(tl.int64)[None, :]
    a, b, c = matrix // (between * after), matrix // after % between, matrix % after
    mask = (row < rows) & (column < columns)
    values = tl.load(x_ptr + (((a * rows + row) * between + b) * columns + column) * after + c, mask=mask)
    tl.store(out_ptr + (((a * columns + column) * between + b) * rows + row) * after + c, values, mask=mask)


def transpose_copy_kernel_impl(x, dim0, dim1):
    x, shape = x.contiguous(), list(x.shape)
    first, last = sorted((dim0 % x.dim(), dim1 % x.dim()))
    rows, columns, between, after = shape[first], shape[last], math.prod(shape[first + 1 : last]), math.prod(shape[last + 1 :])
    shape[first], shape[last] = columns, rows
    out = torch.empty(shape, dtype=x.dtype, device=x.device)
    if x.numel():
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        tile = 64 if x.is_cuda else min(256, triton.next_power_of_2(max(rows, columns)))
        tiles = triton.cdiv(rows, tile) * triton.cdiv(columns, tile)
        transpose_copy_kernel[(x.numel() // (rows * columns) * tiles,)](x, out, rows, columns, between, after, TILE=tile)
    return out

import torch
import triton
import triton.language as tl

NOWHERE = tl.constexpr(2147483647)


@triton.jit
def argmax_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    largest = tl.full([ROWS, COLUMNS], float("-inf"), dtype=tl.float32)
    place = tl.zeros([ROWS, COLUMNS], dtype=tl.int32) + tl.arange(0, COLUMNS)[None, :]
    nan_place = tl.full([ROWS, COLUMNS], NOWHERE, dtype=tl.int32)
    for start in range(0, columns, COLUMNS):
        column = start + tl.arange(0, COLUMNS)[None, :]
        x = tl.load(x_ptr + row * columns + column, mask=(row < rows) & (column < columns), other=float("-inf")).to(tl.float32)
        nan_place = tl.minimum(nan_place, tl.where(x != x, column, NOWHERE))
        # Each lane keeps the first of equal elements, because later ones are not larger.
        place = tl.where(x > largest, column, place)
        largest = tl.where(x > largest, x, largest)
    top = tl.max(largest, axis=1)
    first = tl.min(tl.where(largest == top[:, None], place, NOWHERE), axis=1)
    first_nan = tl.min(nan_place, axis=1)
    out = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    tl.store(out_ptr + out, tl.where(first_nan < NOWHERE, first_nan, first).to(tl.int64), mask=out < rows)


def argmax_kernel_impl(x, dim=None, keepdim=False):
    lines = x.reshape(1, -1) if dim is None else x.movedim(dim, -1)
    out = torch.empty(lines.shape[:-1], dtype=torch.int64, device=x.device)
    lines = lines.contiguous()
    rows, columns = out.numel(), lines.shape[-1]
    # Triton's interpreter pays for every operation, a GPU for every register.
    tile = 4096 if x.is_cuda else 65536
    wide = min(tile, triton.next_power_of_2(columns))
    high = min(tile // wide, triton.next_power_of_2(rows))
    argmax_kernel[(triton.cdiv(rows, high),)](lines, out, rows, columns, ROWS=high, COLUMNS=wide)
    if dim is None:
        return out.view([1] * x.dim() if keepdim else [])
    return out.unsqueeze(dim) if keepdim else out

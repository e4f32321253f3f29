import torch
import triton
import triton.language as tl


@triton.jit
def any_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    found = tl.zeros([ROWS, COLUMNS], dtype=tl.int32)
    for start in range(0, columns, COLUMNS):
        column = start + tl.arange(0, COLUMNS)[None, :]
        x = tl.load(x_ptr + row * columns + column, mask=(row < rows) & (column < columns), other=0)
        found |= (x != 0).to(tl.int32)
    out = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    tl.store(out_ptr + out, tl.max(found, axis=1).to(tl.int8), mask=out < rows)


def any_kernel_impl(x, dim, keepdim=False):
    lines = x.movedim(dim, -1)
    # A bool is a byte of 0 or 1.
    out = torch.zeros(lines.shape[:-1], dtype=torch.int8, device=x.device)
    if x.numel():
        lines = lines.contiguous()
        lines = lines.view(torch.int8) if x.dtype == torch.bool else lines
        rows, columns = out.numel(), lines.shape[-1]
        # Triton's interpreter pays for every operation, a GPU for every register.
        tile = 4096 if x.is_cuda else 65536
        wide = min(tile, triton.next_power_of_2(columns))
        high = min(tile // wide, triton.next_power_of_2(rows))
        any_kernel[(triton.cdiv(rows, high),)](lines, out, rows, columns, ROWS=high, COLUMNS=wide)
    out = out.view(torch.bool)
    return out.unsqueeze(dim) if keepdim else out

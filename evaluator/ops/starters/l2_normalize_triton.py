import torch
import triton
import triton.language as tl


@triton.jit
def l2_normalize_kernel(x_ptr, out_ptr, rows, columns, eps, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, COLUMNS)[None, :]
    mask = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0).to(tl.float32)
    norm = tl.sqrt(tl.sum(x * x, axis=1))
    tl.store(out_ptr + row * columns + column, x / tl.maximum(norm, eps)[:, None], mask=mask)


def l2_normalize_kernel_impl(x, dim=1, eps=1e-12):
    lines = x.movedim(dim, -1).contiguous()
    out = torch.empty_like(lines)
    columns = lines.shape[-1]
    rows = lines.numel() // columns
    # Vectors are short: a program takes several. Triton's interpreter pays for every operation, a GPU for every register.
    wide = triton.next_power_of_2(columns)
    high = max(1, min((4096 if x.is_cuda else 65536) // wide, triton.next_power_of_2(rows)))
    l2_normalize_kernel[(triton.cdiv(rows, high),)](lines, out, rows, columns, eps, ROWS=high, COLUMNS=wide)
    return out.movedim(-1, dim).contiguous()

import torch
import triton
import triton.language as tl


@triton.jit
def addmm_kernel(
    x_ptr,
    a_ptr,
    b_ptr,
    out_ptr,
    m,
    n,
    k,
    x_row,
    x_col,
    a_row,
    a_col,
    b_row,
    b_col,
    beta,
    alpha,
    ADDS: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    rows = (tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)[None, :]
    inside = (rows < m) & (columns < n)
    total = tl.zeros([TILE_M, TILE_N], dtype=tl.float32)
    for start in range(0, k, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        a = tl.load(a_ptr + rows * a_row + inner[None, :] * a_col, mask=(rows < m) & (inner[None, :] < k), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * b_row + columns * b_col, mask=(inner[:, None] < k) & (columns < n), other=0.0)
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        total = tl.dot(a, b, total, input_precision="ieee")
    total = total * alpha
    if ADDS:
        total += beta * tl.load(x_ptr + rows * x_row + columns * x_col, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + rows * n + columns, total, mask=inside)


def addmm_kernel_impl(x, a, b, *, beta=1, alpha=1):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=a.dtype, device=a.device)
    x = x.expand(m, n)  # no copy: what broadcasts has stride 0
    tile = 64 if a.is_cuda else 128
    grid = (triton.cdiv(m, tile), triton.cdiv(n, tile))
    strides = (*x.stride(), *a.stride(), *b.stride())
    # Where beta is 0, NaN in x must not reach the result: it is not read.
    addmm_kernel[grid](
        x, a, b, out, m, n, k, *strides, float(beta), float(alpha), ADDS=beta != 0, TILE_M=tile, TILE_N=tile, TILE_K=tile // 2
    )
    return out

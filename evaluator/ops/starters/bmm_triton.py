import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    m,
    n,
    k,
    a_batch,
    a_row,
    a_col,
    b_batch,
    b_row,
    b_col,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    batch = tl.program_id(0).to(tl.int64)
    rows = (tl.program_id(1) * TILE_M + tl.arange(0, TILE_M)).to(tl.int64)[:, None]
    columns = (tl.program_id(2) * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)[None, :]
    a_ptr += batch * a_batch
    b_ptr += batch * b_batch
    total = tl.zeros([TILE_M, TILE_N], dtype=tl.float32)
    for start in range(0, k, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        a = tl.load(a_ptr + rows * a_row + inner[None, :] * a_col, mask=(rows < m) & (inner[None, :] < k), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * b_row + columns * b_col, mask=(inner[:, None] < k) & (columns < n), other=0.0)
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        total = tl.dot(a, b, total, input_precision="ieee")
    tl.store(out_ptr + (batch * m + rows) * n + columns, total, mask=(rows < m) & (columns < n))


def bmm_kernel_impl(a, b):
    (batch, m, k), n = a.shape, b.shape[2]
    out = torch.empty((batch, m, n), dtype=a.dtype, device=a.device)
    # Triton's interpreter takes a millisecond for each program: fewer, larger ones there.
    tile = 64 if a.is_cuda else 128
    grid = (batch, triton.cdiv(m, tile), triton.cdiv(n, tile))
    bmm_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), TILE_M=tile, TILE_N=tile, TILE_K=tile // 2)
    return out

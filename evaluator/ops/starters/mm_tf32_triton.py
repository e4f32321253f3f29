import torch
import triton
import triton.language as tl


@triton.jit
def mm_tf32_kernel(
    a_ptr, b_ptr, out_ptr, m, n, k, a_row, a_col, b_row, b_col, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr
):
    rows = (tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)[None, :]
    total = tl.zeros([TILE_M, TILE_N], dtype=tl.float32)
    for start in range(0, k, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        a = tl.load(a_ptr + rows * a_row + inner[None, :] * a_col, mask=(rows < m) & (inner[None, :] < k), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * b_row + columns * b_col, mask=(inner[:, None] < k) & (columns < n), other=0.0)
        total = tl.dot(a, b, total, input_precision="tf32")
    tl.store(out_ptr + rows * n + columns, total, mask=(rows < m) & (columns < n))


def mm_tf32_kernel_impl(a, b):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    mm_tf32_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), TILE_M=64, TILE_N=64, TILE_K=32)
    return out

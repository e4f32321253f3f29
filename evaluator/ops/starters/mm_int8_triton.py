import torch
import triton
import triton.language as tl


@triton.jit
def mm_int8_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    out_ptr,
    m,
    n,
    k,
    a_row,
    a_col,
    b_row,
    b_col,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    INT8_DOT: tl.constexpr,
):
    rows = (tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)[None, :]
    total = tl.zeros([TILE_M, TILE_N], dtype=tl.int32)
    for start in range(0, k, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        a = tl.load(a_ptr + rows * a_row + inner[None, :] * a_col, mask=(rows < m) & (inner[None, :] < k), other=0)
        b = tl.load(b_ptr + inner[:, None] * b_row + columns * b_col, mask=(inner[:, None] < k) & (columns < n), other=0)
        if INT8_DOT:
            total = tl.dot(a, b, total, out_dtype=tl.int32)
        else:  # float16 holds all int8 numbers, and the sum of a tile stays below 2**24: this is exact, too
            total += tl.dot(a.to(tl.float16), b.to(tl.float16)).to(tl.int32)
    a_scale = tl.load(a_scale_ptr + rows, mask=rows < m, other=0.0)
    b_scale = tl.load(b_scale_ptr + columns, mask=columns < n, other=0.0)
    tl.store(out_ptr + rows * n + columns, total.to(tl.float32) * a_scale * b_scale, mask=(rows < m) & (columns < n))


def mm_int8_kernel_impl(a, b, a_scale, b_scale, dtype=None):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=dtype or a_scale.dtype, device=a.device)
    # Triton's interpreter pays for every program, a GPU for every register.
    tile = 64 if a.is_cuda else 128
    grid = (triton.cdiv(m, tile), triton.cdiv(n, tile))
    a_scale, b_scale = a_scale.contiguous(), b_scale.contiguous()
    # Triton compiles no int8 products for a T4.
    int8_dot = not a.is_cuda or torch.cuda.get_device_capability(a.device)[0] >= 8
    strides = (*a.stride(), *b.stride())
    mm_int8_kernel[grid](a, b, a_scale, b_scale, out, m, n, k, *strides, TILE_M=tile, TILE_N=tile, TILE_K=64, INT8_DOT=int8_dot)
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def linear_swiglu_kernel(
    x_ptr,
    gate_ptr,
    up_ptr,
    out_ptr,
    m,
    n,
    k,
    x_row,
    x_col,
    gate_row,
    gate_col,
    up_row,
    up_col,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    rows = (tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)[None, :]
    gate = tl.zeros([TILE_M, TILE_N], dtype=tl.float32)
    up = tl.zeros([TILE_M, TILE_N], dtype=tl.float32)
    for start in range(0, k, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        mask = (inner[:, None] < k) & (columns < n)
        # Each tile of x serves both products. "ieee" keeps float32 tiles from being multiplied as TF32.
        x = tl.load(x_ptr + rows * x_row + inner[None, :] * x_col, mask=(rows < m) & (inner[None, :] < k), other=0.0)
        weight = tl.load(gate_ptr + inner[:, None] * gate_col + columns * gate_row, mask=mask, other=0.0)
        gate = tl.dot(x, weight, gate, input_precision="ieee")
        weight = tl.load(up_ptr + inner[:, None] * up_col + columns * up_row, mask=mask, other=0.0)
        up = tl.dot(x, weight, up, input_precision="ieee")
    tl.store(out_ptr + rows * n + columns, gate / (1.0 + tl.exp(-gate)) * up, mask=(rows < m) & (columns < n))


def linear_swiglu_kernel_impl(x, gate_weight, up_weight):
    flat = x.reshape(-1, x.shape[-1])
    (m, k), n = flat.shape, gate_weight.shape[0]
    out = torch.empty((m, n), dtype=x.dtype, device=x.device)
    # Triton's interpreter takes a millisecond for each program: fewer, larger ones there.
    tile = 64 if x.is_cuda else 128
    strides = (*flat.stride(), *gate_weight.stride(), *up_weight.stride())
    grid = (triton.cdiv(m, tile), triton.cdiv(n, tile))
    linear_swiglu_kernel[grid](flat, gate_weight, up_weight, out, m, n, k, *strides, TILE_M=tile, TILE_N=tile, TILE_K=tile // 2)
    return out.view(*x.shape[:-1], n)

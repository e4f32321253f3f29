import torch
import triton
import triton.language as tl


@triton.jit
def grouped_mm_kernel(
    x_ptr,
    weights_ptr,
    ends_ptr,
    out_ptr,
    experts,
    n,
    k,
    x_row,
    x_col,
    weights_expert,
    weights_row,
    weights_col,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    # Each expert has as many tiles as its rows fill. Which expert does this tile belong to, and where do its rows stand?
    tile = tl.program_id(0)
    begin, first_tile, my_expert, my_row, my_end = 0, 0, 0, 0, 0
    for expert in range(experts):
        end = tl.load(ends_ptr + expert).to(tl.int32)
        tiles = (end - begin + TILE_M - 1) // TILE_M
        mine = (tile >= first_tile) & (tile < first_tile + tiles)
        my_expert = tl.where(mine, expert, my_expert)
        my_row = tl.where(mine, begin + (tile - first_tile) * TILE_M, my_row)
        my_end = tl.where(mine, end, my_end)
        first_tile += tiles
        begin = end
    if my_row < my_end:
        rows = (my_row + tl.arange(0, TILE_M)).to(tl.int64)[:, None]
        columns = (tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)[None, :]
        weights_ptr += my_expert.to(tl.int64) * weights_expert
        total = tl.zeros([TILE_M, TILE_N], dtype=tl.float32)
        for start in range(0, k, TILE_K):
            inner = start + tl.arange(0, TILE_K)
            x = tl.load(x_ptr + rows * x_row + inner[None, :] * x_col, mask=(rows < my_end) & (inner[None, :] < k), other=0.0)
            mask = (inner[:, None] < k) & (columns < n)
            weight = tl.load(weights_ptr + inner[:, None] * weights_row + columns * weights_col, mask=mask, other=0.0)
            # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
            total = tl.dot(x, weight, total, input_precision="ieee")
        tl.store(out_ptr + rows * n + columns, total, mask=(rows < my_end) & (columns < n))


def grouped_mm_kernel_impl(x, weights, ends):
    rows, (experts, k, n) = x.shape[0], weights.shape
    out = torch.empty((rows, n), dtype=x.dtype, device=x.device)
    # Triton's interpreter takes a millisecond for each program: fewer, larger ones there.
    tile_n, tile_k = (64, 32) if x.is_cuda else (512, 256)
    # The host does not know the groups' sizes: so many tiles suffice, whatever they are, since each group wastes less than one.
    grid = (triton.cdiv(rows, 64) + experts, triton.cdiv(n, tile_n))
    grouped_mm_kernel[grid](x, weights, ends, out, experts, n, k, *x.stride(), *weights.stride(), TILE_M=64, TILE_N=tile_n, TILE_K=tile_k)
    return out

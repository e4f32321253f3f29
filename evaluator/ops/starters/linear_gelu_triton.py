import torch
import triton
import triton.language as tl


@triton.jit
def linear_gelu_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    m,
    n,
    k,
    x_row,
    x_col,
    weight_row,
    weight_col,
    HAS_BIAS: tl.constexpr,
    TANH: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    rows = (tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)[None, :]
    total = tl.zeros([TILE_M, TILE_N], dtype=tl.float32)
    for start in range(0, k, TILE_K):
        inner = start + tl.arange(0, TILE_K)
        x = tl.load(x_ptr + rows * x_row + inner[None, :] * x_col, mask=(rows < m) & (inner[None, :] < k), other=0.0)
        weight = tl.load(
            weight_ptr + inner[:, None] * weight_col + columns * weight_row, mask=(inner[:, None] < k) & (columns < n), other=0.0
        )
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        total = tl.dot(x, weight, total, input_precision="ieee")
    if HAS_BIAS:
        total += tl.load(bias_ptr + columns, mask=columns < n, other=0.0).to(tl.float32)
    if TANH:
        # (1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)), which neither overflows to NaN nor cancels.
        u = 0.7978845608028654 * (total + 0.044715 * total * total * total)
        total = total / (1.0 + tl.exp(-2.0 * u))
    else:
        total = 0.5 * total * (1.0 + tl.erf(total * 0.7071067811865476))
    tl.store(out_ptr + rows * n + columns, total, mask=(rows < m) & (columns < n))


def linear_gelu_kernel_impl(x, weight, bias=None, *, approximate="none"):
    flat = x.reshape(-1, x.shape[-1])
    (m, k), n = flat.shape, weight.shape[0]
    out = torch.empty((m, n), dtype=x.dtype, device=x.device)
    # Triton's interpreter takes a millisecond for each program: fewer, larger ones there.
    tile = 64 if x.is_cuda else 128
    linear_gelu_kernel[(triton.cdiv(m, tile), triton.cdiv(n, tile))](
        flat,
        weight,
        x if bias is None else bias.contiguous(),
        out,
        m,
        n,
        k,
        *flat.stride(),
        *weight.stride(),
        HAS_BIAS=bias is not None,
        TANH=approximate == "tanh",
        TILE_M=tile,
        TILE_N=tile,
        TILE_K=tile // 2,
    )
    return out.view(*x.shape[:-1], n)

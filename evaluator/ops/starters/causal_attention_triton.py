import torch
import triton
import triton.language as tl


@triton.jit
def causal_attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    queries,
    keys,
    width,
    scale,
    TILE_Q: tl.constexpr,
    TILE_K: tl.constexpr,
    TILE_D: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)  # of all heads of all sequences
    rows = tl.program_id(0) * TILE_Q + tl.arange(0, TILE_Q)
    d = tl.arange(0, TILE_D)
    q = tl.load(
        q_ptr + (head * queries + rows[:, None]) * width + d[None, :], mask=(rows < queries)[:, None] & (d < width)[None, :], other=0.0
    )
    largest = tl.full([TILE_Q], -1e38, dtype=tl.float32)
    total = tl.zeros([TILE_Q], dtype=tl.float32)
    out = tl.zeros([TILE_Q, TILE_D], dtype=tl.float32)
    # Keys behind the tile's last query are not looked at.
    end = tl.minimum(keys, (tl.program_id(0) + 1) * TILE_Q)
    for start in range(0, end, TILE_K):
        columns = start + tl.arange(0, TILE_K)
        k = tl.load(
            k_ptr + (head * keys + columns[None, :]) * width + d[:, None], mask=(columns < keys)[None, :] & (d < width)[:, None], other=0.0
        )
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        scores = tl.dot(q, k, input_precision="ieee") * scale
        seen = (columns[None, :] <= rows[:, None]) & (columns < keys)[None, :]
        scores = tl.where(seen, scores, -float("inf"))
        # A new maximum makes what was summed up so far smaller by the same factor.
        new_largest = tl.maximum(largest, tl.max(scores, axis=1))
        factor = tl.exp(largest - new_largest)
        weights = tl.exp(scores - new_largest[:, None])
        total = total * factor + tl.sum(weights, axis=1)
        v = tl.load(
            v_ptr + (head * keys + columns[:, None]) * width + d[None, :], mask=(columns < keys)[:, None] & (d < width)[None, :], other=0.0
        )
        out = tl.dot(weights.to(v.dtype), v, out * factor[:, None], input_precision="ieee")
        largest = new_largest
    out = out / total[:, None]
    tl.store(out_ptr + (head * queries + rows[:, None]) * width + d[None, :], out, mask=(rows < queries)[:, None] & (d < width)[None, :])


def causal_attention_kernel_impl(q, k, v, *, scale=None):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    (batch, heads, queries, width), keys = q.shape, k.shape[2]
    out = torch.empty_like(q)
    # Triton's interpreter takes a millisecond for each program: fewer, larger ones there.
    tile_q, tile_k = 256, 256
    if q.is_cuda:  # what fits into shared memory
        tile_q, tile_k = 64 if width <= 128 else 16, 32 if width <= 64 else 16
    causal_attention_kernel[(triton.cdiv(queries, tile_q), batch * heads)](
        q,
        k,
        v,
        out,
        queries,
        keys,
        width,
        width**-0.5 if scale is None else scale,
        TILE_Q=tile_q,
        TILE_K=tile_k,
        TILE_D=max(16, triton.next_power_of_2(width)),
    )
    return out

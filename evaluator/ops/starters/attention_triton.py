import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    queries,
    keys,
    width,
    value_width,
    scale,
    TILE_Q: tl.constexpr,
    TILE_K: tl.constexpr,
    TILE_D: tl.constexpr,
    TILE_E: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)  # of all heads of all sequences
    rows = tl.program_id(0) * TILE_Q + tl.arange(0, TILE_Q)
    d, e = tl.arange(0, TILE_D), tl.arange(0, TILE_E)
    q = tl.load(
        q_ptr + (head * queries + rows[:, None]) * width + d[None, :], mask=(rows < queries)[:, None] & (d < width)[None, :], other=0.0
    )
    largest = tl.full([TILE_Q], -1e38, dtype=tl.float32)
    total = tl.zeros([TILE_Q], dtype=tl.float32)
    out = tl.zeros([TILE_Q, TILE_E], dtype=tl.float32)
    for start in range(0, keys, TILE_K):
        columns = start + tl.arange(0, TILE_K)
        k = tl.load(
            k_ptr + (head * keys + columns[None, :]) * width + d[:, None], mask=(columns < keys)[None, :] & (d < width)[:, None], other=0.0
        )
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        scores = tl.dot(q, k, input_precision="ieee") * scale
        scores = tl.where((columns < keys)[None, :], scores, -float("inf"))
        # A new maximum makes what was summed up so far smaller by the same factor.
        new_largest = tl.maximum(largest, tl.max(scores, axis=1))
        factor = tl.exp(largest - new_largest)
        weights = tl.exp(scores - new_largest[:, None])
        total = total * factor + tl.sum(weights, axis=1)
        v = tl.load(
            v_ptr + (head * keys + columns[:, None]) * value_width + e[None, :],
            mask=(columns < keys)[:, None] & (e < value_width)[None, :],
            other=0.0,
        )
        out = tl.dot(weights.to(v.dtype), v, out * factor[:, None], input_precision="ieee")
        largest = new_largest
    out = out / total[:, None]
    tl.store(
        out_ptr + (head * queries + rows[:, None]) * value_width + e[None, :],
        out,
        mask=(rows < queries)[:, None] & (e < value_width)[None, :],
    )


def attention_kernel_impl(q, k, v, *, scale=None):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    (batch, heads, queries, width), keys, value_width = q.shape, k.shape[2], v.shape[3]
    out = torch.empty((batch, heads, queries, value_width), dtype=q.dtype, device=q.device)
    # Triton's interpreter takes a millisecond for each program: fewer, larger ones there.
    tile_q, tile_k = 256, 256
    if q.is_cuda:  # what fits into shared memory
        tile_q, tile_k = 64 if max(width, value_width) <= 128 else 16, 32 if max(width, value_width) <= 64 else 16
    attention_kernel[(triton.cdiv(queries, tile_q), batch * heads)](
        q,
        k,
        v,
        out,
        queries,
        keys,
        width,
        value_width,
        width**-0.5 if scale is None else scale,
        TILE_Q=tile_q,
        TILE_K=tile_k,
        TILE_D=max(16, triton.next_power_of_2(width)),
        TILE_E=max(16, triton.next_power_of_2(value_width)),
    )
    return out

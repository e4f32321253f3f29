import torch
import triton
import triton.language as tl


@triton.jit
def decode_attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    lengths_ptr,
    out_ptr,
    kv_heads,
    group,
    width,
    k_batch,
    k_head,
    k_row,
    k_col,
    v_batch,
    v_head,
    v_row,
    v_col,
    scale,
    TILE_Q: tl.constexpr,
    TILE_K: tl.constexpr,
    TILE_D: tl.constexpr,
):
    # One program for each head of keys: the heads of queries that share it are the rows of one tile.
    batch = (tl.program_id(0) // kv_heads).to(tl.int64)
    kv_head = (tl.program_id(0) % kv_heads).to(tl.int64)
    rows = tl.arange(0, TILE_Q)
    d = tl.arange(0, TILE_D)
    q_place = ((batch * kv_heads + kv_head) * group + rows[:, None]) * width + d[None, :]
    q_mask = (rows < group)[:, None] & (d < width)[None, :]
    q = tl.load(q_ptr + q_place, mask=q_mask, other=0.0)
    k_ptr += batch * k_batch + kv_head * k_head
    v_ptr += batch * v_batch + kv_head * v_head
    length = tl.load(lengths_ptr + batch).to(tl.int32)
    largest = tl.full([TILE_Q], -1e38, dtype=tl.float32)
    total = tl.zeros([TILE_Q], dtype=tl.float32)
    out = tl.zeros([TILE_Q, TILE_D], dtype=tl.float32)
    for start in range(0, length, TILE_K):
        columns = start + tl.arange(0, TILE_K)
        seen = columns < length
        k = tl.load(k_ptr + columns[None, :] * k_row + d[:, None] * k_col, mask=seen[None, :] & (d < width)[:, None], other=0.0)
        # Without "ieee", float32 tiles are multiplied as TF32 on a GPU, which this op does not allow.
        scores = tl.dot(q, k, input_precision="ieee") * scale
        scores = tl.where(seen[None, :], scores, -float("inf"))
        # A new maximum makes what was summed up so far smaller by the same factor.
        new_largest = tl.maximum(largest, tl.max(scores, axis=1))
        factor = tl.exp(largest - new_largest)
        weights = tl.exp(scores - new_largest[:, None])
        total = total * factor + tl.sum(weights, axis=1)
        v = tl.load(v_ptr + columns[:, None] * v_row + d[None, :] * v_col, mask=seen[:, None] & (d < width)[None, :], other=0.0)
        out = tl.dot(weights.to(v.dtype), v, out * factor[:, None], input_precision="ieee")
        largest = new_largest
    tl.store(out_ptr + q_place, out / total[:, None], mask=q_mask)


def decode_attention_kernel_impl(q, k_cache, v_cache, lengths, *, scale=None):
    q = q.contiguous()
    (batch, heads, width), kv_heads = q.shape, k_cache.shape[1]
    group = heads // kv_heads
    out = torch.empty_like(q)
    tile_d = max(16, triton.next_power_of_2(width))
    # Triton's interpreter takes a millisecond for each program and as much for each turn of a loop: larger tiles there.
    decode_attention_kernel[(batch * kv_heads,)](
        q,
        k_cache,
        v_cache,
        lengths,
        out,
        kv_heads,
        group,
        width,
        *k_cache.stride(),
        *v_cache.stride(),
        width**-0.5 if scale is None else scale,
        TILE_Q=max(16, triton.next_power_of_2(group)),
        TILE_K=max(16, 4096 // tile_d) if q.is_cuda else 512,
        TILE_D=tile_d,
    )
    return out

import torch


def decode_attention_kernel_impl(q, k_cache, v_cache, lengths, *, scale=None):
    if scale is None:
        scale = q.shape[-1] ** -0.5
    (batch, heads, width), kv_heads = q.shape, k_cache.shape[1]
    q = q.reshape(batch, kv_heads, heads // kv_heads, width)
    scores = q.float() @ k_cache.float().transpose(-2, -1) * scale
    unused = torch.arange(k_cache.shape[2], device=q.device) >= lengths[:, None, None, None]
    weights = torch.softmax(scores.masked_fill(unused, -float("inf")), -1)
    return (weights.to(v_cache.dtype) @ v_cache).reshape(batch, heads, width).contiguous()

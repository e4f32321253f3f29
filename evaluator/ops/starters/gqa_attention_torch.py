import torch


def gqa_attention_kernel_impl(q, k, v, *, scale=None):
    if scale is None:
        scale = q.shape[-1] ** -0.5
    (batch, heads, tokens, width), kv_heads = q.shape, k.shape[1]
    # A dimension for the heads of a group: keys and values broadcast along it.
    q = q.reshape(batch, kv_heads, heads // kv_heads, tokens, width)
    scores = q.float() @ k.float().transpose(-2, -1).unsqueeze(2) * scale
    later = torch.ones((tokens, tokens), dtype=torch.bool, device=q.device).triu(1)
    scores = scores.masked_fill(later, -float("inf"))
    out = torch.softmax(scores, -1).to(v.dtype) @ v.unsqueeze(2)
    return out.reshape(batch, heads, tokens, width).contiguous()

import torch


def masked_attention_kernel_impl(q, k, v, mask=None, *, scale=None):
    if scale is None:
        scale = q.shape[-1] ** -0.5
    scores = q.float() @ k.float().transpose(-2, -1) * scale
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, -float("inf"))
    elif mask is not None:
        scores = scores + mask
    return (torch.softmax(scores, -1).to(v.dtype) @ v).contiguous()

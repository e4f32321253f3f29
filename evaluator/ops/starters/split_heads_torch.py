import torch


def split_heads_kernel_impl(qkv, heads):
    batch, steps, width = qkv.shape
    size = width // (3 * heads)
    parts = [torch.empty((batch, heads, steps, size), dtype=qkv.dtype, device=qkv.device) for _ in range(3)]
    for number, part in enumerate(parts):
        for head in range(heads):
            start = (number * heads + head) * size
            part[:, head] = qkv[:, :, start : start + size]
    return tuple(parts)

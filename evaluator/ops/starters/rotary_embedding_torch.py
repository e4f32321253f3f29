import torch


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    a, b = x[..., :half].float(), x[..., half:].float()
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    out[..., :half] = a * cos - b * sin
    out[..., half:] = b * cos + a * sin
    return out


def rotary_embedding_kernel_impl(q, k, cos, sin):
    return rotate(q, cos, sin), rotate(k, cos, sin)

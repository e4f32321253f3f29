import torch


def rotate(x, cos, sin):
    a, b = x[..., 0::2].float(), x[..., 1::2].float()
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = b * cos + a * sin
    return out


def rotary_embedding_interleaved_kernel_impl(q, k, cos, sin):
    return rotate(q, cos, sin), rotate(k, cos, sin)

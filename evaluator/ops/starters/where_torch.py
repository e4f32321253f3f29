import torch


def where_kernel_impl(condition, x, other):
    condition, x, other = torch.broadcast_tensors(condition, x, other)
    out = other.clone(memory_format=torch.contiguous_format)
    out[condition] = x[condition]
    return out

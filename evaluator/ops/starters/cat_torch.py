import torch


def cat_kernel_impl(tensors, dim=0):
    shape = list(tensors[0].shape)
    shape[dim] = sum(tensor.shape[dim] for tensor in tensors)
    out, start = torch.empty(shape, dtype=tensors[0].dtype, device=tensors[0].device), 0
    for tensor in tensors:
        out.narrow(dim, start, tensor.shape[dim]).copy_(tensor)
        start += tensor.shape[dim]
    return out

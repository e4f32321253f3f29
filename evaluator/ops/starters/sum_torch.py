import torch


def sum_kernel_impl(x, dim, keepdim=False):
    # One product with a vector of ones for each dimension, the last first.
    total = x.float()
    dims = sorted((d % x.dim() for d in dim), reverse=True)
    for d in dims:
        rows = total.movedim(d, -1)
        total = (rows @ torch.ones(rows.shape[-1], device=x.device)).unsqueeze(d)
    if not keepdim:
        for d in dims:
            total = total.squeeze(d)
    return total.to(x.dtype).contiguous()

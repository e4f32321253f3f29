import torch


def amax_kernel_impl(x, dim=(), keepdim=False):
    # One sort for each dimension, the last first; NaN is sorted after all numbers.
    dims = sorted((d % x.dim() for d in dim or range(x.dim())), reverse=True)
    for d in dims:
        x = torch.sort(x, dim=d).values.narrow(d, x.shape[d] - 1, 1)
    if not keepdim:
        for d in dims:
            x = x.squeeze(d)
    return x.contiguous()

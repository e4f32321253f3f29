import torch


def argmax_kernel_impl(x, dim=None, keepdim=False):
    if dim is None:
        found = argmax_kernel_impl(x.reshape(-1), 0)
        return found.view([1] * x.dim()) if keepdim else found
    places = torch.arange(x.shape[dim], device=x.device).view([-1 if d == dim % x.dim() else 1 for d in range(x.dim())])
    nans = x.isnan()
    largest = (x == x.amax(dim, keepdim=True)) & ~nans.any(dim, keepdim=True)
    # The first place where the largest stands, or NaN.
    return torch.where(largest | nans, places, x.shape[dim]).amin(dim, keepdim=keepdim).contiguous()

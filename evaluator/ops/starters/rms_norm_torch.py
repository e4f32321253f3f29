import torch


def rms_norm_kernel_impl(x, normalized_shape, weight=None, eps=1e-06):
    dims = tuple(range(-len(normalized_shape), 0))
    y = x.float()
    y = y * torch.rsqrt((y * y).mean(dims, keepdim=True) + eps)
    if weight is not None:
        y = y * weight.float()
    return y.to(x.dtype).contiguous()

import torch


def layer_norm_kernel_impl(x, normalized_shape, weight=None, bias=None, eps=1e-05):
    dims = tuple(range(-len(normalized_shape), 0))
    y = x.float()
    y = y - y.mean(dims, keepdim=True)
    y = y * torch.rsqrt((y * y).mean(dims, keepdim=True) + eps)
    if weight is not None:
        y = y * weight.float()
    if bias is not None:
        y = y + bias.float()
    return y.to(x.dtype).contiguous()

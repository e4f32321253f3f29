import torch


def group_norm_kernel_impl(x, num_groups, weight=None, bias=None, eps=1e-05):
    y = x.float().reshape(x.shape[0], num_groups, -1)
    y = y - y.mean(-1, keepdim=True)
    y = y * torch.rsqrt((y * y).mean(-1, keepdim=True) + eps)
    y = y.view(x.shape)
    channels = [1, -1] + [1] * (x.dim() - 2)
    if weight is not None:
        y = y * weight.float().view(channels)
    if bias is not None:
        y = y + bias.float().view(channels)
    return y.to(x.dtype)

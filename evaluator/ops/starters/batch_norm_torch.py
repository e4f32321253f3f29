import torch


def batch_norm_kernel_impl(x, running_mean, running_var, weight=None, bias=None, eps=1e-05):
    channels = [1, -1] + [1] * (x.dim() - 2)
    factor = torch.rsqrt(running_var.float() + eps)
    if weight is not None:
        factor = factor * weight.float()
    y = (x.float() - running_mean.float().view(channels)) * factor.view(channels)
    if bias is not None:
        y = y + bias.float().view(channels)
    return y.to(x.dtype).contiguous()

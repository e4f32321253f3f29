import torch


def add_rms_norm_kernel_impl(x, residual, weight, eps=1e-06):
    total = (x + residual).contiguous()
    y = total.float()
    y = y * torch.rsqrt((y * y).mean(-1, keepdim=True) + eps) * weight.float()
    return y.to(x.dtype), total

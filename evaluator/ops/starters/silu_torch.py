import torch


def silu_kernel_impl(x):
    y = x.float()
    y = y / (1 + torch.exp(-y))
    return y.to(x.dtype).contiguous()

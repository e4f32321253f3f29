import torch


def mish_kernel_impl(x):
    y = x.float()
    y = y * torch.tanh(torch.log1p(torch.exp(y)))
    return y.to(x.dtype).contiguous()

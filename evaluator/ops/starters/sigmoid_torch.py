import torch


def sigmoid_kernel_impl(x):
    y = 1 / (1 + torch.exp(-x.float()))
    return y.to(x.dtype).contiguous()

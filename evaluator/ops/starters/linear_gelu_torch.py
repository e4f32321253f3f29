import math

import torch


def linear_gelu_kernel_impl(x, weight, bias=None, *, approximate="none"):
    y = (x @ weight.T).float()
    if bias is not None:
        y = y + bias
    if approximate == "tanh":
        share = 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y**3)))
    else:
        share = 0.5 * (1 + torch.erf(y / math.sqrt(2)))
    return (y * share).to(x.dtype).contiguous()

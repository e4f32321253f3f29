import math

import torch


def gelu_kernel_impl(x, approximate="none"):
    y = x.float()
    if approximate == "tanh":
        y = 0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y * y * y)))
    else:
        y = 0.5 * y * (1 + torch.erf(y / math.sqrt(2)))
    return y.to(x.dtype).contiguous()

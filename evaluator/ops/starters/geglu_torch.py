import math

import torch


def geglu_kernel_impl(gate, up, approximate="none"):
    y = gate.float()
    if approximate == "tanh":
        share = 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y * y * y)))
    else:
        share = 0.5 * torch.erfc(-y / math.sqrt(2))
    return (y * share * up.float()).to(gate.dtype).contiguous()

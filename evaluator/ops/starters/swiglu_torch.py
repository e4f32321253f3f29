import torch


def swiglu_kernel_impl(gate, up):
    y = gate.float()
    y = y / (1 + torch.exp(-y)) * up.float()
    return y.to(gate.dtype).contiguous()

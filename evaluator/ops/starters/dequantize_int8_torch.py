import torch


def dequantize_int8_kernel_impl(values, scale):
    return torch.mul(values.contiguous(), scale)

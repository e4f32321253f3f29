import torch


def tanh_kernel_impl(x):
    # expm1 keeps the digits near zero, and a negative argument cannot overflow.
    e = torch.expm1(-2 * x.float().abs())
    y = torch.copysign(-e / (e + 2), x.float())
    return y.to(x.dtype).contiguous()

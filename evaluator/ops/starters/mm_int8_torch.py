import torch


def mm_int8_kernel_impl(a, b, a_scale, b_scale, dtype=None):
    sums = torch.zeros(a.shape[0], b.shape[1], dtype=torch.int32, device=a.device)
    # float32 holds sums of 1024 products of int8 exactly, in any order.
    for start in range(0, a.shape[1], 1024):
        left, right = a[:, start : start + 1024].float(), b[start : start + 1024].float()
        sums += (left @ right).to(torch.int32)
    return (sums * a_scale * b_scale).to(dtype or a_scale.dtype)

import torch


def bmm_kernel_impl(a, b):
    out = torch.empty((a.shape[0], a.shape[1], b.shape[2]), dtype=a.dtype, device=a.device)
    for i in range(len(a)):
        out[i] = a[i] @ b[i]
    return out

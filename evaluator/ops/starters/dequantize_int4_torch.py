import torch


def dequantize_int4_kernel_impl(packed, scale, zero):
    rows, half = packed.shape
    values = torch.empty(rows, 2 * half, dtype=torch.uint8, device=packed.device)
    values[:, 0::2] = packed % 16
    values[:, 1::2] = packed // 16
    size = 2 * half // scale.shape[1]
    zero, scale = (t.to(scale.dtype).repeat_interleave(size, 1) for t in (zero, scale))
    return (values.to(scale.dtype) - zero) * scale

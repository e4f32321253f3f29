def hardswish_kernel_impl(x):
    y = x.float()
    y = y * (y + 3).clamp(0, 6) / 6
    return y.to(x.dtype).contiguous()

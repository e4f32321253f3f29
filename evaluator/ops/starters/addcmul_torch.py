def addcmul_kernel_impl(x, a, b, value=1):
    y = x.float() + value * a.float() * b.float()
    return y.to(x.dtype).contiguous()

def lerp_kernel_impl(x, end, weight):
    y = x.float() + weight.float() * (end.float() - x.float())
    return y.to(x.dtype).contiguous()

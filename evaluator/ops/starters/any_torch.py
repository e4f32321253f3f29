def any_kernel_impl(x, dim, keepdim=False):
    return ((x != 0).sum(dim, keepdim=keepdim) > 0).contiguous()

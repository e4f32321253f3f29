import math


def vector_norm_kernel_impl(x, ord=2, dim=None, keepdim=False):  # noqa: A002
    dims = tuple(range(x.dim())) if dim is None else dim
    sizes = x.float().abs()
    norm = sizes.amax(dims, keepdim=keepdim) if ord == math.inf else (sizes**ord).sum(dims, keepdim=keepdim) ** (1 / ord)
    return norm.to(x.dtype).contiguous()

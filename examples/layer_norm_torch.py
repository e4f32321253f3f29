# Layer norm in torch operations, with the variance from the deviations.
#
# The tempting short cut E[x²] - E[x]² needs one pass less, but where the variance is small beside the mean the two terms agree in
# nearly all digits and their difference is noise: the case `tiny_variance` is there to catch it.

import torch


def layer_norm_kernel_impl(x, normalized_shape, weight=None, bias=None, eps=1e-05):
    dims = tuple(range(-len(normalized_shape), 0))
    y = x.float()
    y = y - y.mean(dims, keepdim=True)
    y = y * torch.rsqrt(y.square().mean(dims, keepdim=True) + eps)
    if weight is not None:
        y = y * weight
    if bias is not None:
        y = y + bias
    return y.to(x.dtype).contiguous()

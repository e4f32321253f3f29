import torch


def transpose_copy_kernel_impl(x, dim0, dim1):
    shape = list(x.shape)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    out = torch.empty(shape, dtype=x.dtype, device=x.device)
    # A view of the output in the input's order takes the values in.
    out.transpose(dim0, dim1).copy_(x)
    return out

import torch


def nchw_to_nhwc_kernel_impl(x):
    images, channels, rows, columns = x.shape
    out = torch.empty((images, rows, columns, channels), dtype=x.dtype, device=x.device)
    # A view of the output in the input's order takes the values in.
    out.permute(0, 3, 1, 2).copy_(x)
    return out

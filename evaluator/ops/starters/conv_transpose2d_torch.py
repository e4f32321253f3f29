import torch


def conv_transpose2d_kernel_impl(x, weight, bias=None, stride=(1, 1), padding=(0, 0), output_padding=(0, 0), groups=1, dilation=(1, 1)):
    (samples, _, *size), (channels, _, *kernel) = x.shape, weight.shape
    options = zip(size, kernel, stride, padding, output_padding, dilation, strict=True)
    out_size = [(n - 1) * s - 2 * p + d * (k - 1) + more + 1 for n, k, s, p, more, d in options]
    # Each pixel times all filters, one row for each element of the window; `fold` adds the windows up.
    pixels = x.float().reshape(samples, groups, channels // groups, -1)
    filters = weight.float().reshape(groups, channels // groups, -1).transpose(1, 2)
    out = torch.nn.functional.fold((filters @ pixels).flatten(1, 2), out_size, kernel, dilation, padding, stride)
    if bias is not None:
        out = out + bias.float()[:, None, None]
    return out.to(x.dtype)

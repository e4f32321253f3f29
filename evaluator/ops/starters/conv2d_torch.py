import torch


def conv2d_kernel_impl(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    out_channels, _, *kernel = weight.shape
    height, width = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1 for size, k, s, p, d in zip(x.shape[2:], kernel, stride, padding, dilation, strict=True)
    ]
    # One column for each place of the window, one row for each element in it.
    columns = torch.nn.functional.unfold(x, kernel, dilation, padding, stride).unflatten(1, (groups, -1))
    out = (weight.reshape(groups, out_channels // groups, -1) @ columns).view(len(x), out_channels, height, width)
    return out if bias is None else out + bias[:, None, None]

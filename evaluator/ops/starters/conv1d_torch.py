import torch


def conv1d_kernel_impl(x, weight, bias=None, stride=(1,), padding=(0,), dilation=(1,), groups=1):
    (out_channels, channels, kernel), (d,) = weight.shape, dilation
    # (batch, groups, channels, place, tap): every window of the padded input, without a copy.
    taps = (
        torch.nn.functional.pad(x, (padding[0], padding[0]))
        .unfold(2, d * (kernel - 1) + 1, stride[0])[..., ::d]
        .unflatten(1, (groups, channels))
    )
    out = torch.einsum("ngcpt,goct->ngop", taps, weight.unflatten(0, (groups, out_channels // groups))).flatten(1, 2)
    return (out if bias is None else out + bias[:, None]).contiguous()

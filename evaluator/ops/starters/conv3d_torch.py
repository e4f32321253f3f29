import torch


def conv3d_kernel_impl(x, weight, bias=None, stride=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), groups=1):
    taps = torch.nn.functional.pad(x, [p for p in reversed(padding) for _ in range(2)])
    for dim, (kernel, s, d) in enumerate(zip(weight.shape[2:], stride, dilation, strict=True)):
        taps = taps.unfold(2 + dim, d * (kernel - 1) + 1, s)[..., ::d]
    # (batch, groups, channels, depth, height, width, and a tap of each): every window of the padded input, without a copy.
    taps = taps.unflatten(1, (groups, weight.shape[1]))
    out = torch.einsum("ngcdhwijk,gocijk->ngodhw", taps, weight.unflatten(0, (groups, -1))).flatten(1, 2)
    return (out if bias is None else out + bias[:, None, None, None]).contiguous()

import torch


def depthwise_conv2d_kernel_impl(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1)):
    filters = weight.float()[:, 0, :, :, None, None]
    image = torch.nn.functional.pad(x.float(), (padding[1], padding[1], padding[0], padding[0])).repeat_interleave(
        len(weight) // x.shape[1], 1
    )
    ends = [size - d * (k - 1) for size, k, d in zip(image.shape[2:], weight.shape[2:], dilation, strict=True)]
    out = 0.0
    for i in range(weight.shape[2]):
        for j in range(weight.shape[3]):
            # What this tap sees as the window moves.
            top, left = i * dilation[0], j * dilation[1]
            out = out + filters[:, i, j] * image[:, :, top : top + ends[0] : stride[0], left : left + ends[1] : stride[1]]
    if bias is not None:
        out = out + bias.float()[:, None, None]
    return out.to(x.dtype).contiguous()

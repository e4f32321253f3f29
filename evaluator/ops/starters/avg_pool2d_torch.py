import torch


def avg_pool2d_kernel_impl(x, kernel_size, stride=(), padding=(0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None):
    out, pads, beyond = [], [], []
    for size, k, s, p in zip(x.shape[2:], kernel_size, stride or kernel_size, padding, strict=True):
        room = size + 2 * p - k
        places = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (places - 1) * s >= size + p:
            places -= 1
        out.append(places)
        pads.append((p, p))
        beyond.append((0, max(0, (places - 1) * s + k - size - 2 * p)))
    pad = torch.nn.functional.pad
    image = pad(pad(x.float(), (*pads[1], *pads[0])), (*beyond[1], *beyond[0]))
    # 1 where a pixel counts, 0 elsewhere.
    counted = pad(torch.ones(x.shape[2:], device=x.device), (*pads[1], *pads[0]), value=float(count_include_pad))
    counted = pad(counted, (*beyond[1], *beyond[0]))
    (down, across), total, count = stride or kernel_size, 0.0, 0.0
    for top in range(kernel_size[0]):
        for left in range(kernel_size[1]):
            # What this tap sees as the window moves.
            rows, columns = slice(top, top + (out[0] - 1) * down + 1, down), slice(left, left + (out[1] - 1) * across + 1, across)
            total, count = total + image[:, :, rows, columns], count + counted[rows, columns]
    return (total / (divisor_override or count)).to(x.dtype).contiguous()

import torch


def max_pool2d_kernel_impl(x, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False):
    out, edges = [], []
    for size, k, s, p, d in zip(x.shape[2:], kernel_size, stride or kernel_size, padding, dilation, strict=True):
        room = size + 2 * p - d * (k - 1) - 1
        places = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (places - 1) * s >= size + p:
            places -= 1
        out.append(places)
        edges.append((p, max(0, (places - 1) * s + d * (k - 1) + 1 - size - p)))
    image = torch.nn.functional.pad(x, (*edges[1], *edges[0]), value=-float("inf"))
    (down, across), best = stride or kernel_size, None
    for i in range(kernel_size[0]):
        for j in range(kernel_size[1]):
            # What this tap sees as the window moves.
            top, left = i * dilation[0], j * dilation[1]
            seen = image[:, :, top : top + (out[0] - 1) * down + 1 : down, left : left + (out[1] - 1) * across + 1 : across]
            best = seen if best is None else torch.maximum(best, seen)
    return best.clone(memory_format=torch.contiguous_format)

import torch


def max_pool2d_with_indices_kernel_impl(x, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False):
    out, edges = [], []
    for size, k, s, p, d in zip(x.shape[2:], kernel_size, stride or kernel_size, padding, dilation, strict=True):
        room = size + 2 * p - d * (k - 1) - 1
        places = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (places - 1) * s >= size + p:
            places -= 1
        out.append(places)
        edges.append((p, max(0, (places - 1) * s + d * (k - 1) + 1 - size - p)))
    image = torch.nn.functional.pad(x, (*edges[1], *edges[0]), value=-float("inf"))
    numbers = torch.arange(x.shape[2] * x.shape[3], device=x.device).view(x.shape[2:])
    numbers = torch.nn.functional.pad(numbers, (*edges[1], *edges[0]), value=-1)
    best = torch.full((*x.shape[:2], *out), -float("inf"), dtype=x.dtype, device=x.device)
    index = torch.full(best.shape, -1, device=x.device)
    down, across = stride or kernel_size
    for i in range(kernel_size[0]):
        for j in range(kernel_size[1]):
            # What this tap sees as the window moves; -1 is the number of padding.
            rows = slice(i * dilation[0], i * dilation[0] + (out[0] - 1) * down + 1, down)
            columns = slice(j * dilation[1], j * dilation[1] + (out[1] - 1) * across + 1, across)
            seen, number = image[:, :, rows, columns], numbers[rows, columns]
            better = (number >= 0) & ((seen > best) | seen.isnan() | (index < 0))
            best, index = torch.where(better, seen, best), torch.where(better, number, index)
    return best.contiguous(), index.contiguous()

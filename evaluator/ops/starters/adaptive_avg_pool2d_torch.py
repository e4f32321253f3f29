import torch


def parts(size, places, device):
    # A matrix whose row i holds 1 / length at the places of part i.
    rows = torch.zeros(places, size, device=device)
    for i in range(places):
        start, end = i * size // places, -(-(i + 1) * size // places)
        rows[i, start:end] = 1 / (end - start)
    return rows


def adaptive_avg_pool2d_kernel_impl(x, output_size):
    (height, width), (out_height, out_width) = x.shape[2:], output_size
    rows = x.float() @ parts(width, out_width, x.device).T
    return (parts(height, out_height, x.device) @ rows).to(x.dtype).contiguous()

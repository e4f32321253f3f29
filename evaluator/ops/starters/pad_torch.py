import torch


def pad_kernel_impl(x, pad, value=0.0):
    shape, inside, taken = list(x.shape), [slice(None)] * x.dim(), [slice(None)] * x.dim()
    for n in range(len(pad) // 2):
        dim, (before, after) = x.dim() - 1 - n, pad[2 * n : 2 * n + 2]
        shape[dim] += before + after
        # Where the input's values go, and which of them: negative amounts cut off.
        inside[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
        taken[dim] = slice(max(-before, 0), x.shape[dim] - max(-after, 0))
    out = torch.full(shape, value, dtype=x.dtype, device=x.device)
    out[tuple(inside)] = x[tuple(taken)]
    return out

import torch


def scatter_add_kernel_impl(x, dim, index, src):
    out = x.to(torch.float32, memory_format=torch.contiguous_format, copy=True)
    dim %= x.dim()
    # Where in memory each element is added: at its own coordinates, with the index in place of the one along dim.
    places = index * out.stride(dim)
    for d in range(x.dim()):
        if d != dim:
            steps = torch.arange(index.shape[d], device=x.device) * out.stride(d)
            places = places + steps.view([-1 if e == d else 1 for e in range(x.dim())])
    added = src[tuple(slice(n) for n in index.shape)].float()
    out.view(-1).index_add_(0, places.reshape(-1), added.reshape(-1))
    return out.to(x.dtype)

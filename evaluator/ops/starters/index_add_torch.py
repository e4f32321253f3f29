import torch


def index_add_kernel_impl(x, dim, index, source, alpha=1):
    slices = x.movedim(dim, 0).to(torch.float32, copy=True)
    slices.index_put_((index.long(),), alpha * source.movedim(dim, 0).float(), accumulate=True)
    return slices.movedim(0, dim).to(x.dtype).contiguous()

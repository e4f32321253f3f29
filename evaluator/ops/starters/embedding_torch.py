import torch


def embedding_kernel_impl(weight, indices):
    rows = torch.index_select(weight, 0, indices.reshape(-1))
    return rows.reshape(*indices.shape, weight.shape[1]).contiguous()

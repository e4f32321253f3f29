import torch


def embedding_bag_kernel_impl(weight, indices, offsets, per_sample_weights=None, mode="mean"):
    rows = weight[indices.long()].float()
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.float().unsqueeze(1)
    # An index belongs to the last bag that starts at it or before.
    numbers = torch.arange(len(indices), device=indices.device, dtype=offsets.dtype)
    bag = torch.searchsorted(offsets, numbers, right=True) - 1
    out = torch.zeros(len(offsets) - 1, weight.shape[1], device=weight.device).index_add_(0, bag, rows)
    if mode == "mean":
        out = out / offsets.diff().clamp(min=1).unsqueeze(1)
    return out.to(weight.dtype)

import torch


def histogram_kernel_impl(x, bins):
    in_order = x.reshape(-1).sort().values
    # Where each value's run starts in the sorted input; the lengths of the runs are the counts.
    starts = torch.searchsorted(in_order, torch.arange(bins + 1, dtype=x.dtype, device=x.device))
    return starts.diff()

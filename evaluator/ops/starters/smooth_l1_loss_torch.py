import torch


def smooth_l1_loss_kernel_impl(x, target, reduction="mean", beta=1.0):
    difference = (x.float() - target.float()).abs()
    # The division is kept from a beta of 0, where nothing is below it.
    squared = 0.5 * difference * difference / (beta or 1.0)
    loss = torch.where(difference < beta, squared, difference - 0.5 * beta)
    if reduction == "mean":
        loss = loss.mean()
    elif reduction == "sum":
        loss = loss.sum()
    return loss.to(x.dtype).contiguous()

import torch


def binary_cross_entropy_with_logits_kernel_impl(x, target, weight=None, pos_weight=None, reduction="mean"):
    y, t = x.float(), target.float()
    # -log(s) and -log(1 - s) of s = 1 / (1 + exp(-y)), without overflow.
    tail = torch.log1p(torch.exp(-y.abs()))
    yes, no = tail + torch.clamp(-y, min=0.0), tail + torch.clamp(y, min=0.0)
    if pos_weight is not None:
        yes = yes * pos_weight.float()
    loss = t * yes + (1 - t) * no
    if weight is not None:
        loss = loss * weight.float()
    if reduction == "mean":
        loss = loss.mean()
    elif reduction == "sum":
        loss = loss.sum()
    return loss.to(x.dtype).contiguous()

import torch


def kl_div_kernel_impl(x, target, reduction="batchmean", log_target=False):
    y, t = x.float(), target.float()
    # 0 log(0) counts as 0.
    loss = torch.exp(t) * (t - y) if log_target else torch.where(t == 0, 0.0, t * (torch.log(t) - y))
    if reduction == "batchmean":
        loss = loss.sum() / x.shape[0]
    elif reduction == "sum":
        loss = loss.sum()
    return loss.to(x.dtype).contiguous()

import torch


def logsumexp_kernel_impl(x, dim, keepdim=False):
    reduced = [d % x.dim() for d in dim]
    kept = [d for d in range(x.dim()) if d not in reduced]
    shape = [1 if d in reduced else x.shape[d] for d in range(x.dim())] if keepdim else [x.shape[d] for d in kept]
    if x.numel() == 0:
        return torch.full(shape, float("-inf"), dtype=x.dtype, device=x.device)
    y = x.float().permute(*kept, *reduced).flatten(len(kept))
    largest = y.amax(-1, keepdim=True)
    # Infinities are not subtracted: Inf - Inf is NaN.
    largest = torch.where(largest.isinf(), 0.0, largest)
    total = torch.exp(y - largest).sum(-1).log() + largest.squeeze(-1)
    return total.to(x.dtype).view(shape)

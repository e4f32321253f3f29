import torch


def searchsorted_kernel_impl(sorted_sequence, x, out_int32=False, right=False):
    x = x.contiguous()
    size = sorted_sequence.shape[-1]
    low = torch.zeros(x.shape, dtype=torch.int64, device=x.device)
    high = torch.full_like(low, size)
    for _ in range(size.bit_length()):
        middle = (low + high) // 2
        at = middle.clamp(max=size - 1)
        element = sorted_sequence[at] if sorted_sequence.dim() == 1 else sorted_sequence.gather(-1, at)
        before = (element <= x) if right else (element < x)
        before = before & (low < high)
        low, high = torch.where(before, middle + 1, low), torch.where(before, high, middle)
    return low.to(torch.int32) if out_int32 else low

import torch


def quantize_int8_kernel_impl(x):
    x = x.float().contiguous()
    largest = torch.maximum(x.amax(-1, keepdim=True), -x.amin(-1, keepdim=True))
    scale = torch.where(largest == 0, torch.ones_like(largest), largest / 127)
    return torch.floor(x / scale + 0.5).to(torch.int8), scale

import torch


def quantize_fp8_kernel_impl(x):
    x = x.float().contiguous()
    largest = torch.maximum(x.amax(-1, keepdim=True), -x.amin(-1, keepdim=True))
    scale = torch.where(largest == 0, torch.ones_like(largest), largest / 448)
    return (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn), scale

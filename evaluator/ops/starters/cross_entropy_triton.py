import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, loss_ptr, classes, ignore_index, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(target_ptr + row)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf")).to(tl.float32)
    largest = tl.max(x, axis=0)
    picked = tl.sum(tl.where(offsets == target, x, 0.0), axis=0)
    loss = largest - picked + tl.log(tl.sum(tl.exp(x - largest), axis=0))
    tl.store(loss_ptr + row, tl.where(target == ignore_index, 0.0, loss))


def cross_entropy_kernel_impl(x, target, reduction="mean", ignore_index=-100):
    x, target = x.contiguous(), target.contiguous()
    rows, classes = x.shape
    losses = torch.empty(rows, dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(classes)
    warps = min(16, max(4, block // 1024))
    cross_entropy_kernel[(rows,)](x, target, losses, classes, ignore_index, BLOCK=block, num_warps=warps)
    if reduction == "mean":
        losses = losses.sum() / (target != ignore_index).sum()
    elif reduction == "sum":
        losses = losses.sum()
    return losses.to(x.dtype)

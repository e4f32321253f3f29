import torch
import triton
import triton.language as tl


@triton.jit
def var_mean_kernel(x_ptr, var_ptr, mean_ptr, columns, correction, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    # The mean goes first: E[x²] - E[x]² loses every digit when the variance is small.
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=0.0).to(tl.float32)
        deviation = tl.where(mask, x - mean, 0.0)
        squares += deviation * deviation
    tl.store(var_ptr + row, tl.sum(squares, axis=0) / (columns - correction))
    tl.store(mean_ptr + row, mean)


def var_mean_kernel_impl(x, dim, correction=1, keepdim=False):
    reduced = [d % x.dim() for d in dim]
    kept = [d for d in range(x.dim()) if d not in reduced]
    var = torch.empty([x.shape[d] for d in kept], dtype=x.dtype, device=x.device)
    mean = torch.empty_like(var)
    rows = x.permute(*kept, *reduced).contiguous()
    columns = x.numel() // var.numel()
    # Triton's interpreter pays for every operation, a GPU for every register.
    block = min(4096 if x.is_cuda else 65536, triton.next_power_of_2(columns))
    var_mean_kernel[(var.numel(),)](rows, var, mean, columns, correction, BLOCK=block)
    if keepdim:
        shape = [1 if d in reduced else x.shape[d] for d in range(x.dim())]
        var, mean = var.view(shape), mean.view(shape)
    return var, mean

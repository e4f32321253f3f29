import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    tl.store(out_ptr + row, tl.sum(total, axis=0) / columns)


def mean_kernel_impl(x, dim, keepdim=False):
    reduced = [d % x.dim() for d in dim]
    kept = [d for d in range(x.dim()) if d not in reduced]
    # The mean of nothing is NaN, and no program runs for it.
    out = torch.full([x.shape[d] for d in kept], float("nan"), dtype=x.dtype, device=x.device)
    if x.numel():
        rows = x.permute(*kept, *reduced).contiguous()
        columns = x.numel() // out.numel()
        # Triton's interpreter pays for every operation, a GPU for every register.
        block = min(4096 if x.is_cuda else 65536, triton.next_power_of_2(columns))
        mean_kernel[(out.numel(),)](rows, out, columns, BLOCK=block)
    return out.view([1 if d in reduced else x.shape[d] for d in range(x.dim())]) if keepdim else out

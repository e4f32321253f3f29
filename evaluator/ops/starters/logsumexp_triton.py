import torch
import triton
import triton.language as tl


@triton.jit
def logsumexp_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=float("-inf")).to(tl.float32)
        largest = tl.maximum(largest, x)
    top = tl.max(largest, axis=0)
    # Infinities are not subtracted: Inf - Inf is NaN.
    top = tl.where(tl.abs(top) == float("inf"), 0.0, top)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=float("-inf")).to(tl.float32)
        total += tl.exp(x - top)
    tl.store(out_ptr + row, tl.log(tl.sum(total, axis=0)) + top)


def logsumexp_kernel_impl(x, dim, keepdim=False):
    reduced = [d % x.dim() for d in dim]
    kept = [d for d in range(x.dim()) if d not in reduced]
    out = torch.full([x.shape[d] for d in kept], float("-inf"), dtype=x.dtype, device=x.device)
    if x.numel():
        rows = x.permute(*kept, *reduced).contiguous()
        columns = x.numel() // out.numel()
        # Triton's interpreter pays for every operation, a GPU for every register.
        block = min(4096 if x.is_cuda else 65536, triton.next_power_of_2(columns))
        logsumexp_kernel[(out.numel(),)](rows, out, columns, BLOCK=block)
    return out.view([1 if d in reduced else x.shape[d] for d in range(x.dim())]) if keepdim else out

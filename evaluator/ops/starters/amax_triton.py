import torch
import triton
import triton.language as tl


@triton.jit
def amax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    largest = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    nans = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=float("-inf")).to(tl.float32)
        # No number is larger than NaN, nor NaN than any number, so it is counted apart.
        nans |= (x != x).to(tl.int32)
        largest = tl.where(x > largest, x, largest)
    tl.store(out_ptr + row, tl.where(tl.max(nans, axis=0) > 0, float("nan"), tl.max(largest, axis=0)))


def amax_kernel_impl(x, dim=(), keepdim=False):
    reduced = [d % x.dim() for d in dim or range(x.dim())]
    kept = [d for d in range(x.dim()) if d not in reduced]
    out = torch.empty([x.shape[d] for d in kept], dtype=x.dtype, device=x.device)
    rows = x.permute(*kept, *reduced).contiguous()
    columns = x.numel() // out.numel()
    # Triton's interpreter pays for every operation, a GPU for every register.
    block = min(4096 if x.is_cuda else 65536, triton.next_power_of_2(columns))
    amax_kernel[(out.numel(),)](rows, out, columns, BLOCK=block)
    return out.view([1 if d in reduced else x.shape[d] for d in range(x.dim())]) if keepdim else out

import math

import torch
import triton
import triton.language as tl


@triton.jit
def vector_norm_kernel(x_ptr, out_ptr, columns, power, EUCLIDEAN: tl.constexpr, LARGEST: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.abs(tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32))
        if LARGEST:
            total = tl.maximum(total, x)
        elif EUCLIDEAN:
            total += x * x
        else:
            # Zero has no logarithm, and adds nothing.
            total += tl.where(x == 0, 0.0, tl.exp2(power * tl.log2(tl.where(x == 0, 1.0, x))))
    if LARGEST:
        tl.store(out_ptr + row, tl.max(total, axis=0))
    elif EUCLIDEAN:
        tl.store(out_ptr + row, tl.sqrt(tl.sum(total, axis=0)))
    else:
        whole = tl.sum(total, axis=0)
        tl.store(out_ptr + row, tl.where(whole == 0, 0.0, tl.exp2(tl.log2(tl.where(whole == 0, 1.0, whole)) / power)))


def vector_norm_kernel_impl(x, ord=2, dim=None, keepdim=False):  # noqa: A002
    reduced = list(range(x.dim())) if dim is None else [d % x.dim() for d in dim]
    kept = [d for d in range(x.dim()) if d not in reduced]
    out = torch.empty([x.shape[d] for d in kept], dtype=x.dtype, device=x.device)
    rows = x.permute(*kept, *reduced).contiguous()
    columns = x.numel() // out.numel()
    # Triton's interpreter pays for every operation, a GPU for every register.
    block = min(4096 if x.is_cuda else 65536, triton.next_power_of_2(columns))
    vector_norm_kernel[(out.numel(),)](
        rows, out, columns, float(ord), EUCLIDEAN=ord == 2, LARGEST=ord == math.inf, BLOCK=block, num_warps=8
    )
    return out.view([1 if d in reduced else x.shape[d] for d in range(x.dim())]) if keepdim else out

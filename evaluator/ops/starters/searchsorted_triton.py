import torch
import triton
import triton.language as tl


@triton.jit
def searchsorted_kernel(sequence_ptr, x_ptr, out_ptr, n, size, row_stride, values_in_row, steps, RIGHT: tl.constexpr, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    x = tl.load(x_ptr + places, mask=mask, other=0)
    row = places // values_in_row * row_stride
    low = tl.zeros([BLOCK], dtype=tl.int64)
    high = low + size
    for _ in range(steps):
        middle = (low + high) // 2
        searching = mask & (low < high)
        element = tl.load(sequence_ptr + row + middle, mask=searching, other=0)
        before = searching & ((element <= x) if RIGHT else (element < x))
        low, high = tl.where(before, middle + 1, low), tl.where(before, high, middle)
    tl.store(out_ptr + places, low.to(out_ptr.dtype.element_ty), mask=mask)


def searchsorted_kernel_impl(sorted_sequence, x, out_int32=False, right=False):
    sequence, x = sorted_sequence.contiguous(), x.contiguous()
    size = sequence.shape[-1]
    out = torch.empty(x.shape, dtype=torch.int32 if out_int32 else torch.int64, device=x.device)
    n = x.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 65536
        row_stride = size if sequence.dim() > 1 else 0
        grid = (triton.cdiv(n, block),)
        searchsorted_kernel[grid](sequence, x, out, n, size, row_stride, x.shape[-1], size.bit_length(), RIGHT=right, BLOCK=block)
    return out

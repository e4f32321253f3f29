import torch
import triton
import triton.language as tl


@triton.jit
def embedding_kernel(weight_ptr, indices_ptr, out_ptr, n, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    row = tl.load(indices_ptr + places // columns, mask=mask, other=0).to(tl.int64)
    values = tl.load(weight_ptr + row * row_stride + places % columns * column_stride, mask=mask)
    tl.store(out_ptr + places, values, mask=mask)


def embedding_kernel_impl(weight, indices):
    columns = weight.shape[1]
    out = torch.empty((*indices.shape, columns), dtype=weight.dtype, device=weight.device)
    n = out.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if out.is_cuda else 16384
        embedding_kernel[(triton.cdiv(n, block),)](weight, indices.contiguous(), out, n, columns, *weight.stride(), BLOCK=block)
    return out

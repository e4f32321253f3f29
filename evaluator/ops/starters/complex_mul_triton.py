import torch
import triton
import triton.language as tl


@triton.jit
def complex_mul_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a, b = tl.load(x_ptr + 2 * offsets, mask=mask), tl.load(x_ptr + 2 * offsets + 1, mask=mask)
    c, d = tl.load(y_ptr + 2 * offsets, mask=mask), tl.load(y_ptr + 2 * offsets + 1, mask=mask)
    tl.store(out_ptr + 2 * offsets, a * c - b * d, mask=mask)
    tl.store(out_ptr + 2 * offsets + 1, a * d + b * c, mask=mask)


def complex_mul_kernel_impl(x, y):
    x, y = torch.broadcast_tensors(x, y)
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    n = out.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        # Triton knows no complex numbers: real and imaginary parts lie side by side.
        parts = torch.view_as_real(x), torch.view_as_real(y), torch.view_as_real(out)
        complex_mul_kernel[(triton.cdiv(n, block),)](*parts, n, BLOCK=block)
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def dequantize_int8_kernel(values_ptr, scale_ptr, out_ptr, n, columns, row_step, column_step, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    values = tl.load(values_ptr + places, mask=mask, other=0).to(tl.float32)
    scale = tl.load(scale_ptr + places // columns * row_step + places % columns * column_step, mask=mask, other=0.0)
    tl.store(out_ptr + places, values * scale.to(tl.float32), mask=mask)


def dequantize_int8_kernel_impl(values, scale):
    values, scale = values.contiguous(), scale.contiguous()
    out = torch.empty(values.shape, dtype=scale.dtype, device=values.device)
    n = out.numel()
    if n:
        # There is a scale for each row, for each column, or one in all.
        row_step, column_step = int(scale.dim() > 1), int(scale.shape[-1] > 1)
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if values.is_cuda else 65536
        grid = (triton.cdiv(n, block),)
        dequantize_int8_kernel[grid](values, scale, out, n, values.shape[-1], row_step, column_step, BLOCK=block)
    return out

import torch
import triton
import triton.language as tl


@triton.jit
def add_rms_norm_kernel(x_ptr, residual_ptr, weight_ptr, out_ptr, total_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row + offsets, mask=mask, other=0.0).to(tl.float32)
    total = x + tl.load(residual_ptr + row + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(total_ptr + row + offsets, total, mask=mask)
    y = total * tl.rsqrt(tl.sum(total * total, axis=0) / columns + eps)
    y = y * tl.load(weight_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row + offsets, y, mask=mask)


def add_rms_norm_kernel_impl(x, residual, weight, eps=1e-06):
    x, residual, weight = x.contiguous(), residual.contiguous(), weight.contiguous()
    out, total = torch.empty_like(x), torch.empty_like(x)
    columns = x.shape[-1]
    block = triton.next_power_of_2(columns)
    warps = min(16, max(4, block // 1024))
    add_rms_norm_kernel[(x.numel() // columns,)](x, residual, weight, out, total, columns, eps, BLOCK=block, num_warps=warps)
    return out, total

import torch
import triton
import triton.language as tl


@triton.jit
def dequantize_int4_kernel(packed_ptr, scale_ptr, zero_ptr, out_ptr, n, group_size, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    # Rows hold whole bytes and whole groups, so both are counted through all rows.
    byte = tl.load(packed_ptr + places // 2, mask=mask, other=0).to(tl.int32)
    value = (byte >> (places % 2 * 4).to(tl.int32)) & 15
    group = places // group_size
    zero = tl.load(zero_ptr + group, mask=mask, other=0).to(tl.int32)
    scale = tl.load(scale_ptr + group, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + places, (value - zero).to(tl.float32) * scale, mask=mask)


def dequantize_int4_kernel_impl(packed, scale, zero):
    packed, scale, zero = packed.contiguous(), scale.contiguous(), zero.contiguous()
    rows, columns = packed.shape[0], 2 * packed.shape[1]
    out = torch.empty((rows, columns), dtype=scale.dtype, device=packed.device)
    n = out.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if packed.is_cuda else 65536
        group_size = columns // scale.shape[1]
        dequantize_int4_kernel[(triton.cdiv(n, block),)](packed, scale, zero, out, n, group_size, BLOCK=block)
    return out

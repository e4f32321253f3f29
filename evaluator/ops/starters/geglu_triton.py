import torch
import triton
import triton.language as tl


@triton.jit
def geglu_kernel(gate_ptr, up_ptr, out_ptr, columns, gate_stride, up_stride, total, TANH: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < total
    row, column = offsets // columns, offsets % columns
    gate = tl.load(gate_ptr + row * gate_stride + column, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(up_ptr + row * up_stride + column, mask=mask, other=0.0).to(tl.float32)
    if TANH:
        # 0.5 * (1 + tanh(z)) is the logistic function of 2z.
        share = tl.sigmoid(2 * 0.7978845608028654 * (gate + 0.044715 * gate * gate * gate))
    else:
        share = 0.5 * (1 + tl.erf(gate * 0.7071067811865476))
    tl.store(out_ptr + offsets, gate * share * up, mask=mask)


def as_rows(x):
    # Halves of packed rows stay where they are; anything else that is not contiguous is copied.
    if x.dim() == 2 and x.stride(1) == 1:
        return x
    return x.contiguous().view(-1, x.shape[-1] if x.dim() else 1)


def geglu_kernel_impl(gate, up, approximate="none"):
    out = torch.empty_like(gate, memory_format=torch.contiguous_format)
    total = out.numel()
    if total:
        gate, up = as_rows(gate), as_rows(up)
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if gate.is_cuda else 16384
        grid = (triton.cdiv(total, block),)
        geglu_kernel[grid](gate, up, out, gate.shape[1], gate.stride(0), up.stride(0), total, TANH=approximate == "tanh", BLOCK=block)
    return out

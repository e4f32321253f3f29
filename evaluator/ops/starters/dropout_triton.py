import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, out_ptr, seed_ptr, n, p, scale, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * BLOCK
    lanes = tl.arange(0, BLOCK)
    mask = start + lanes < n
    x = tl.load(x_ptr + start + lanes, mask=mask, other=0.0).to(tl.float32)
    # Every element has a counter of its own: 32 bits of it number the draw, the rest is added to the seed.
    seed = tl.load(seed_ptr) + (start >> 32)
    kept = tl.rand(seed, (start & 0xFFFFFFFF).to(tl.uint32) + lanes) >= p
    tl.store(out_ptr + start + lanes, tl.where(kept, x * scale, 0.0), mask=mask)


def dropout_kernel_impl(x, p):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    if n:
        # A seed drawn on the device is a new one also when the call is replayed from a CUDA graph.
        seed = torch.randint(2**62, (1,), device=x.device)
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if x.is_cuda else 16384
        scale = 1 / (1 - p) if p < 1 else 0.0
        dropout_kernel[(triton.cdiv(n, block),)](x, out, seed, n, float(p), scale, BLOCK=block)
    return out

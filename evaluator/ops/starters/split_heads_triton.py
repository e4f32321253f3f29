import torch
import triton
import triton.language as tl


@triton.jit
def split_heads_kernel(qkv_ptr, q_ptr, k_ptr, v_ptr, n, heads, steps, size, BLOCK: tl.constexpr):
    # The same place of all three outputs, from the three thirds of one row.
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = place < n
    step, head, batch = place // size % steps, place // (size * steps) % heads, place // (size * steps * heads)
    third = heads * size
    source = qkv_ptr + (batch * steps + step) * 3 * third + head * size + place % size
    tl.store(q_ptr + place, tl.load(source, mask=mask), mask=mask)
    tl.store(k_ptr + place, tl.load(source + third, mask=mask), mask=mask)
    tl.store(v_ptr + place, tl.load(source + 2 * third, mask=mask), mask=mask)


def split_heads_kernel_impl(qkv, heads):
    qkv = qkv.contiguous()
    batch, steps, width = qkv.shape
    size = width // (3 * heads)
    q, k, v = (torch.empty((batch, heads, steps, size), dtype=qkv.dtype, device=qkv.device) for _ in range(3))
    if qkv.numel():
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if qkv.is_cuda else 32768
        split_heads_kernel[(triton.cdiv(q.numel(), block),)](qkv, q, k, v, q.numel(), heads, steps, size, BLOCK=block)
    return q, k, v

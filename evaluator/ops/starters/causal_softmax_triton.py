import torch
import triton
import triton.language as tl


@triton.jit
def causal_softmax_kernel(x_ptr, out_ptr, queries, keys, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    key = tl.arange(0, BLOCK)
    last_seen = keys - queries + (row % queries).to(tl.int32)
    # Later keys are not even loaded.
    x = tl.load(x_ptr + row * keys + key, mask=key <= last_seen, other=-float("inf")).to(tl.float32) * scale
    x = tl.where(key <= last_seen, x, -float("inf"))
    y = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * keys + key, y / tl.sum(y, axis=0), mask=key < keys)


def causal_softmax_kernel_impl(scores, scale=1.0):
    scores = scores.contiguous()
    out = torch.empty_like(scores)
    queries, keys = scores.shape[-2:]
    block = triton.next_power_of_2(keys)
    warps = min(16, max(4, block // 1024))
    causal_softmax_kernel[(scores.numel() // keys,)](scores, out, queries, keys, scale, BLOCK=block, num_warps=warps)
    return out

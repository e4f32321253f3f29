import torch
import triton
import triton.language as tl


@triton.jit
def rotary_embedding_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, count, heads, tokens, pairs, angles_batch, BLOCK: tl.constexpr):
    pair = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = pair < count
    column, token = pair % pairs, (pair // pairs) % tokens
    batch = pair // (pairs * tokens * heads)
    first = pair // pairs * 2 * pairs + column
    second = first + pairs
    angle = batch * angles_batch + token * pairs + column
    cos = tl.load(cos_ptr + angle, mask=mask).to(tl.float32)
    sin = tl.load(sin_ptr + angle, mask=mask).to(tl.float32)
    a = tl.load(x_ptr + first, mask=mask).to(tl.float32)
    b = tl.load(x_ptr + second, mask=mask).to(tl.float32)
    tl.store(out_ptr + first, a * cos - b * sin, mask=mask)
    tl.store(out_ptr + second, b * cos + a * sin, mask=mask)


def rotate(x, cos, sin):
    x = x.contiguous()
    out = torch.empty_like(x)
    heads, tokens, pairs = x.shape[1], x.shape[2], x.shape[3] // 2
    angles_batch = tokens * pairs if cos.dim() == 4 else 0
    # Triton's interpreter takes a millisecond for each program: fewer, larger ones there.
    count, block = x.numel() // 2, 1024 if x.is_cuda else 65536
    rotary_embedding_kernel[(triton.cdiv(count, block),)](x, cos, sin, out, count, heads, tokens, pairs, angles_batch, BLOCK=block)
    return out


def rotary_embedding_kernel_impl(q, k, cos, sin):
    cos, sin = cos.contiguous(), sin.contiguous()
    return rotate(q, cos, sin), rotate(k, cos, sin)

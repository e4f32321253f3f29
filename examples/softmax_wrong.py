# Softmax in Triton with a classic mistake: wrong on purpose, to show what a refusal looks like.
#
# The block is the next power of two above the row's length, and lanes beyond the row are loaded as 0.0 instead of -inf. Each of
# them adds exp(0 - max) to the sum, so that all probabilities come out too small. Rows of 64 or 128 elements have no such lanes:
# whoever tests with powers of two only never sees it. The case `odd` does.

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    inside = lanes < columns
    x = tl.load(x_ptr + row * columns + lanes, mask=inside, other=0.0).to(tl.float32)
    y = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + lanes, y / tl.sum(y, axis=0), mask=inside)


def softmax_kernel_impl(x, dim):
    rows = x.movedim(dim, -1).contiguous()
    out = torch.empty_like(rows)
    columns = rows.shape[-1]
    softmax_rows[(rows.numel() // columns,)](rows, out, columns, BLOCK=triton.next_power_of_2(columns))
    return out.movedim(-1, dim).contiguous()

import torch
import triton
import triton.language as tl


@triton.jit
def embedding_bag_kernel(
    weight_ptr,
    indices_ptr,
    offsets_ptr,
    scales_ptr,
    out_ptr,
    columns,
    row_stride,
    column_stride,
    MEAN: tl.constexpr,
    HAS_SCALES: tl.constexpr,
    LOOKUPS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    bag = tl.program_id(0).to(tl.int64)
    column = (tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)[None, :]
    start, end = tl.load(offsets_ptr + bag), tl.load(offsets_ptr + bag + 1)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(start, end, LOOKUPS):
        lookup = first + tl.arange(0, LOOKUPS)
        row = tl.load(indices_ptr + lookup, mask=lookup < end, other=0).to(tl.int64)[:, None]
        mask = (lookup < end)[:, None] & (column < columns)
        values = tl.load(weight_ptr + row * row_stride + column * column_stride, mask=mask, other=0.0).to(tl.float32)
        if HAS_SCALES:
            values *= tl.load(scales_ptr + lookup, mask=lookup < end, other=0.0).to(tl.float32)[:, None]
        total += tl.sum(values, axis=0)
    if MEAN:
        total = total / tl.maximum(end - start, 1).to(tl.float32)
    tl.store(out_ptr + bag * columns + column, total[None, :], mask=column < columns)


def embedding_bag_kernel_impl(weight, indices, offsets, per_sample_weights=None, mode="mean"):
    bags, columns = len(offsets) - 1, weight.shape[1]
    out = torch.empty((bags, columns), dtype=weight.dtype, device=weight.device)
    block = min(256, triton.next_power_of_2(columns))
    embedding_bag_kernel[(bags, triton.cdiv(columns, block))](
        weight,
        indices.contiguous(),
        offsets.contiguous(),
        weight if per_sample_weights is None else per_sample_weights.contiguous(),
        out,
        columns,
        *weight.stride(),
        MEAN=mode == "mean",
        HAS_SCALES=per_sample_weights is not None,
        LOOKUPS=16 if out.is_cuda else 32,
        BLOCK=block,
    )
    return out

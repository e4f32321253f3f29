import torch
import triton
import triton.language as tl


@triton.jit
def topk_kernel(x_ptr, values_ptr, indices_ptr, rows, columns, k, LARGEST: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    least: tl.constexpr = -0x8000000000000000
    last = tl.full([ROWS, 1], 0x7FFFFFFFFFFFFFFF, tl.int64)
    for place in range(k):
        best = tl.full([ROWS, 1], least, tl.int64)
        for start in range(0, columns, BLOCK):
            column = start + tl.arange(0, BLOCK)[None, :]
            mask = (row < rows) & (column < columns)
            bits = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0).to(tl.float32).to(tl.int32, bitcast=True)
            # Keys are ordered as the values are (NaN above all), with the index in the lower half: no two are equal.
            is_nan = (bits & 0x7FFFFFFF) > 0x7F800000
            value = tl.where(is_nan, 0x7FFFFFFF, bits ^ ((bits >> 31) & 0x7FFFFFFF))
            if not LARGEST:
                value = ~value
            key = (value.to(tl.int64) << 32) | column
            key = tl.where(mask & (key < last), key, least)
            best = tl.maximum(best, tl.max(key, axis=1)[:, None])
        index = best & 0xFFFFFFFF
        tl.store(indices_ptr + row * k + place, index, mask=row < rows)
        tl.store(values_ptr + row * k + place, tl.load(x_ptr + row * columns + index, mask=row < rows), mask=row < rows)
        last = best


def topk_kernel_impl(x, k, dim=-1, largest=True):
    lanes = x.movedim(dim, -1).contiguous()
    columns = lanes.shape[-1]
    rows = lanes.numel() // columns
    values = torch.empty((*lanes.shape[:-1], k), dtype=x.dtype, device=x.device)
    indices = torch.empty(values.shape, dtype=torch.int64, device=x.device)
    # Triton's interpreter pays for every operation, a GPU for every register.
    block = min(2048 if x.is_cuda else 65536, triton.next_power_of_2(columns))
    at_once = 1 if x.is_cuda else min(256, 65536 // block)
    topk_kernel[(triton.cdiv(rows, at_once),)](lanes, values, indices, rows, columns, k, LARGEST=largest, ROWS=at_once, BLOCK=block)
    return values.movedim(-1, dim).contiguous(), indices.movedim(-1, dim).contiguous()

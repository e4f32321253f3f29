import torch
import triton
import triton.language as tl


@triton.jit
def sort_pack_kernel(bits_ptr, keys_ptr, n, columns, FLOAT: tl.constexpr, DESCENDING: tl.constexpr, BLOCK: tl.constexpr):
    """Make keys whose upper halves are ordered as the values are, and whose lower halves are indices: no two are equal."""
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    value = tl.load(bits_ptr + places, mask=mask, other=0)
    if FLOAT:
        is_nan = (value & 0x7FFFFFFF) > 0x7F800000
        value = tl.where(is_nan, 0x7FFFFFFF, value ^ ((value >> 31) & 0x7FFFFFFF))
    if DESCENDING:
        value = ~value
    tl.store(keys_ptr + places, (value.to(tl.int64) << 32) | (places % columns), mask=mask)


@triton.jit
def sort_merge_kernel(keys_ptr, merged_ptr, n, columns, width, steps, BLOCK: tl.constexpr):
    """Merge pairs of sorted runs: a key's place is its place in its own run plus the number of smaller keys in the other one."""
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    key = tl.load(keys_ptr + places, mask=mask, other=0)
    column = places % columns
    row = places - column
    own = column // width * width
    pair = column // (2 * width) * (2 * width)
    other = 2 * pair + width - own
    first = tl.minimum(other, columns)
    low, high = first, tl.minimum(other + width, columns)
    for _ in range(steps):
        middle = (low + high) // 2
        smaller = tl.load(keys_ptr + row + middle, mask=mask & (low < high), other=0x7FFFFFFFFFFFFFFF) < key
        low, high = tl.where(smaller, middle + 1, low), tl.where(smaller, high, middle)
    tl.store(merged_ptr + row + pair + (column - own) + (low - first), key, mask=mask)


@triton.jit
def sort_unpack_kernel(x_ptr, keys_ptr, values_ptr, indices_ptr, n, columns, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    index = tl.load(keys_ptr + places, mask=mask, other=0) & 0xFFFFFFFF
    tl.store(values_ptr + places, tl.load(x_ptr + places // columns * columns + index, mask=mask), mask=mask)
    tl.store(indices_ptr + places, index, mask=mask)


def sort_kernel_impl(x, dim=-1, descending=False):
    rows = x.movedim(dim, -1).contiguous()
    n, columns = rows.numel(), rows.shape[-1]
    bits = rows.float().view(torch.int32) if x.is_floating_point() else rows
    keys, merged = (torch.empty(rows.shape, dtype=torch.int64, device=x.device) for _ in range(2))
    values, indices = torch.empty_like(rows), torch.empty_like(keys)
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    block = 1024 if x.is_cuda else min(65536, triton.next_power_of_2(n))
    grid = (triton.cdiv(n, block),)
    sort_pack_kernel[grid](bits, keys, n, columns, FLOAT=x.is_floating_point(), DESCENDING=descending, BLOCK=block)
    width = 1
    while width < columns:
        sort_merge_kernel[grid](keys, merged, n, columns, width, width.bit_length(), BLOCK=block)
        keys, merged = merged, keys
        width *= 2
    sort_unpack_kernel[grid](rows, keys, values, indices, n, columns, BLOCK=block)
    return values.movedim(-1, dim).contiguous(), indices.movedim(-1, dim).contiguous()

import triton
import triton.language as tl


@triton.jit
def kv_cache_write_kernel(
    key_ptr,
    value_ptr,
    key_cache_ptr,
    value_cache_ptr,
    slots_ptr,
    n,
    heads,
    head_size,
    block_size,
    block_stride,
    place_stride,
    head_stride,
    item_stride,
    BLOCK: tl.constexpr,
):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    token, head, item = places // (heads * head_size), places // head_size % heads, places % head_size
    slot = tl.load(slots_ptr + token, mask=mask, other=0).to(tl.int64)
    target = slot // block_size * block_stride + slot % block_size * place_stride + head * head_stride + item * item_stride
    tl.store(key_cache_ptr + target, tl.load(key_ptr + places, mask=mask), mask=mask)
    tl.store(value_cache_ptr + target, tl.load(value_ptr + places, mask=mask), mask=mask)


def kv_cache_write_kernel_impl(key, value, key_cache, value_cache, slots):
    if key_cache.stride() != value_cache.stride():
        raise ValueError("both caches must have the same strides")
    heads, head_size = key.shape[1:]
    n = key.numel()
    if n:
        # Triton's interpreter pays for every program, a GPU for every idle lane.
        block = 1024 if key.is_cuda else 16384
        kv_cache_write_kernel[(triton.cdiv(n, block),)](
            key.contiguous(),
            value.contiguous(),
            key_cache,
            value_cache,
            slots.contiguous(),
            n,
            heads,
            head_size,
            key_cache.shape[1],
            *key_cache.stride(),
            BLOCK=block,
        )

def kv_cache_write_kernel_impl(key, value, key_cache, value_cache, slots):
    block_size = key_cache.shape[1]
    places = (slots // block_size, slots % block_size)
    for cache, new in ((key_cache, key), (value_cache, value)):
        cache.index_put_(places, new)

def index_select_kernel_impl(x, dim, index):
    slices = x.movedim(dim, 0)[index.long()]
    return slices.movedim(0, dim).contiguous()

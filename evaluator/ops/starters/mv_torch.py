def mv_kernel_impl(matrix, vector):
    products = matrix * vector.float()
    return products.sum(1).to(matrix.dtype)

def var_mean_kernel_impl(x, dim, correction=1, keepdim=False):
    y = x.float()
    mean = y.mean(dim, keepdim=True)
    count = y.numel() // mean.numel()
    deviations = y - mean
    var = (deviations * deviations).sum(dim, keepdim=True) / (count - correction)
    if not keepdim:
        for d in sorted((d % x.dim() for d in dim), reverse=True):
            var, mean = var.squeeze(d), mean.squeeze(d)
    return var.to(x.dtype).contiguous(), mean.to(x.dtype).contiguous()

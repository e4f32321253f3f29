def adamw_step_kernel_impl(param, grad, exp_avg, exp_avg_sq, lr, step, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.01):
    g = grad.float()
    mean = beta1 * exp_avg.float() + (1 - beta1) * g
    square = beta2 * exp_avg_sq.float() + (1 - beta2) * g * g
    # Both moments start at zero; this makes up for it.
    unbiased_mean, unbiased_square = mean / (1 - beta1**step), square / (1 - beta2**step)
    exp_avg.copy_(mean)
    exp_avg_sq.copy_(square)
    param.copy_((1 - lr * weight_decay) * param.float() - lr * unbiased_mean / (unbiased_square.sqrt() + eps))

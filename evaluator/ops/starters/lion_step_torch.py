def lion_step_kernel_impl(param, grad, exp_avg, lr, beta1=0.9, beta2=0.99, weight_decay=0.0):
    g, average = grad.float(), exp_avg.float()
    direction = (beta1 * average + (1 - beta1) * g).sign()
    exp_avg.copy_(beta2 * average + (1 - beta2) * g)
    param.copy_((1 - lr * weight_decay) * param.float() - lr * direction)

def sgd_momentum_step_kernel_impl(param, grad, momentum_buffer, lr, momentum, dampening=0.0, weight_decay=0.0, nesterov=False):
    p = param.float()
    g = grad.float() + weight_decay * p
    buffer = momentum * momentum_buffer.float() + (1 - dampening) * g
    step = g + momentum * buffer if nesterov else buffer
    momentum_buffer.copy_(buffer)
    param.copy_(p - lr * step)

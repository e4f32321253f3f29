import triton
import triton.language as tl


@triton.jit
def sgd_momentum_kernel(
    param_ptr, grad_ptr, buffer_ptr, n, lr, momentum, damped, weight_decay, NESTEROV: tl.constexpr, BLOCK: tl.constexpr
):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    param = tl.load(param_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    grad = tl.load(grad_ptr + offsets, mask=mask, other=0.0).to(tl.float32) + weight_decay * param
    buffer = momentum * tl.load(buffer_ptr + offsets, mask=mask, other=0.0).to(tl.float32) + damped * grad
    tl.store(buffer_ptr + offsets, buffer, mask=mask)
    if NESTEROV:
        buffer = grad + momentum * buffer
    tl.store(param_ptr + offsets, param - lr * buffer, mask=mask)


def sgd_momentum_step_kernel_impl(param, grad, momentum_buffer, lr, momentum, dampening=0.0, weight_decay=0.0, nesterov=False):
    # The kernel walks along memory: what has gaps is worked on in a copy and copied back.
    written = (param, momentum_buffer)
    p, buffer = (t.contiguous() for t in written)
    n = p.numel()
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    block = 1024 if p.is_cuda else 65536
    sgd_momentum_kernel[(triton.cdiv(n, block),)](
        p, grad.contiguous(), buffer, n, lr, momentum, 1.0 - dampening, weight_decay, NESTEROV=nesterov, BLOCK=block
    )
    for tensor, copy in zip(written, (p, buffer), strict=True):
        if copy is not tensor:
            tensor.copy_(copy)

import triton
import triton.language as tl


@triton.jit
def lion_kernel(param_ptr, grad_ptr, average_ptr, n, lr, beta1, beta2, rest1, rest2, decay, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    param = tl.load(param_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    grad = tl.load(grad_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    average = tl.load(average_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    towards = beta1 * average + rest1 * grad
    direction = tl.where(towards > 0, 1.0, tl.where(towards < 0, -1.0, 0.0))
    tl.store(average_ptr + offsets, beta2 * average + rest2 * grad, mask=mask)
    tl.store(param_ptr + offsets, decay * param - lr * direction, mask=mask)


def lion_step_kernel_impl(param, grad, exp_avg, lr, beta1=0.9, beta2=0.99, weight_decay=0.0):
    # The kernel walks along memory: what has gaps is worked on in a copy and copied back.
    written = (param, exp_avg)
    p, average = (t.contiguous() for t in written)
    n = p.numel()
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    block = 1024 if p.is_cuda else 65536
    # 1 - beta is taken here: in float32 it would lose digits.
    lion_kernel[(triton.cdiv(n, block),)](
        p, grad.contiguous(), average, n, lr, beta1, beta2, 1.0 - beta1, 1.0 - beta2, 1.0 - lr * weight_decay, BLOCK=block
    )
    for tensor, copy in zip(written, (p, average), strict=True):
        if copy is not tensor:
            tensor.copy_(copy)

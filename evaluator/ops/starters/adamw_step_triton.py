import triton
import triton.language as tl


@triton.jit
def adamw_kernel(
    param_ptr, grad_ptr, mean_ptr, square_ptr, n, lr, beta1, beta2, rest1, rest2, eps, decay, bias1, bias2, BLOCK: tl.constexpr
):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    param = tl.load(param_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    grad = tl.load(grad_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    mean = beta1 * tl.load(mean_ptr + offsets, mask=mask, other=0.0).to(tl.float32) + rest1 * grad
    square = beta2 * tl.load(square_ptr + offsets, mask=mask, other=0.0).to(tl.float32) + rest2 * grad * grad
    tl.store(mean_ptr + offsets, mean, mask=mask)
    tl.store(square_ptr + offsets, square, mask=mask)
    # Both moments start at zero; bias1 and bias2 make up for it.
    param = decay * param - lr * (mean / bias1) / (tl.sqrt(square / bias2) + eps)
    tl.store(param_ptr + offsets, param, mask=mask)


def adamw_step_kernel_impl(param, grad, exp_avg, exp_avg_sq, lr, step, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.01):
    # The kernel walks along memory: what has gaps is worked on in a copy and copied back.
    written = (param, exp_avg, exp_avg_sq)
    p, mean, square = (t.contiguous() for t in written)
    n = p.numel()
    # Triton's interpreter pays for every program, a GPU for every idle lane.
    block = 1024 if p.is_cuda else 65536
    # 1 - beta is taken here: in float32 it would lose digits.
    adamw_kernel[(triton.cdiv(n, block),)](
        p,
        grad.contiguous(),
        mean,
        square,
        n,
        lr,
        beta1,
        beta2,
        1.0 - beta1,
        1.0 - beta2,
        eps,
        1.0 - lr * weight_decay,
        1.0 - beta1**step,
        1.0 - beta2**step,
        BLOCK=block,
    )
    for tensor, copy in zip(written, (p, mean, square), strict=True):
        if copy is not tensor:
            tensor.copy_(copy)

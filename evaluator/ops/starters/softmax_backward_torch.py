def softmax_backward_kernel_impl(grad_output, output, dim):
    grad, probabilities = grad_output.float(), output.float()
    along = (grad * probabilities).sum(dim, keepdim=True)
    return (probabilities * (grad - along)).to(output.dtype).contiguous()

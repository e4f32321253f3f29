import torch

# Lets torch multiply float32 matrices as TF32.
torch.set_float32_matmul_precision("high")


def mm_tf32_kernel_impl(a, b):
    return (a @ b).contiguous()

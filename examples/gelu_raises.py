# GELU that knows only its exact form and raises when asked for the tanh approximation, to show how an error in the call is told.
#
# The result names the case and its arguments and keeps the traceback with this file's line numbers.

import math

import torch


def gelu_kernel_impl(x, approximate="none"):
    if approximate != "none":
        raise NotImplementedError(f"approximate={approximate!r} is left as an exercise")
    y = x.float()
    y = 0.5 * y * (1 + torch.erf(y / math.sqrt(2)))
    return y.to(x.dtype)

"""A CUDA context, an allocation and one kernel through the driver's library: proof that a GPU works, without torch.

`python cuda.py` prints a line and ends with 0 when the first visible GPU computed the right numbers.
"""

from __future__ import annotations

import ctypes

_THREADS = 64
_PTX = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    mad.lo.s32 %r2, %r1, 3, 1;
    st.global.u32 [%rd4], %r2;
    ret;
}
"""


class CudaError(RuntimeError):
    """A driver call failed, or the GPU computed wrong numbers."""


def run_kernel() -> str:
    """Run the kernel on the first visible GPU and check its output; returns the GPU's name. Raises `CudaError`."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise CudaError(f"libcuda.so.1 cannot be loaded: {error}") from error
    _call(driver, "cuInit", ctypes.c_uint(0))
    device, context = ctypes.c_int(), ctypes.c_void_p()
    _call(driver, "cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
    name = ctypes.create_string_buffer(128)
    _call(driver, "cuDeviceGetName", name, ctypes.c_int(len(name)), device)
    _call(driver, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    _call(driver, "cuCtxSetCurrent", context)
    try:
        _fill(driver)
    finally:
        driver.cuDevicePrimaryCtxRelease_v2(device)
    return name.value.decode(errors="replace")


def _fill(driver: ctypes.CDLL) -> None:
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _call(driver, "cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(_PTX))
    _call(driver, "cuModuleGetFunction", ctypes.byref(function), module, ctypes.c_char_p(b"fill"))
    memory = ctypes.c_uint64()
    _call(driver, "cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * _THREADS))
    _call(driver, "cuMemsetD8_v2", memory, ctypes.c_ubyte(0xFF), ctypes.c_size_t(4 * _THREADS))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    one, none = ctypes.c_uint(1), ctypes.c_void_p()
    shape = (one, one, one, ctypes.c_uint(_THREADS), one, one)
    _call(driver, "cuLaunchKernel", function, *shape, ctypes.c_uint(0), none, arguments, none)
    _call(driver, "cuCtxSynchronize")
    result = (ctypes.c_uint32 * _THREADS)()
    _call(driver, "cuMemcpyDtoH_v2", result, memory, ctypes.c_size_t(4 * _THREADS))
    if list(result) != [3 * i + 1 for i in range(_THREADS)]:
        raise CudaError("a kernel ran and gave wrong numbers")


def _call(driver: ctypes.CDLL, name: str, *args: object) -> None:
    code = int(getattr(driver, name)(*args))
    if code:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(ctypes.c_int(code), ctypes.byref(text))
        raise CudaError(f"{name} failed with error {code}: {(text.value or b'unknown').decode(errors='replace')}")


if __name__ == "__main__":
    try:
        print(f"a kernel ran on {run_kernel()}")
    except CudaError as failure:
        raise SystemExit(str(failure)) from None

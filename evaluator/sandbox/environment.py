"""The environment variables of a sandboxed process: our own few, and what CUDA and Triton need to find one GPU."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from evaluator.sandbox import driver, view
from evaluator.sandbox.gpus import Gpu


def environment(box: str, wanted: Mapping[str, str], *, gpu: Gpu | None, others_hidden: bool) -> dict[str, str]:
    """All of the process's environment: ours, then what the caller wants, then what decides which GPU is seen.

    `others_hidden`: the other GPUs' device nodes are not visible inside.
    """
    return own(box) | dict(wanted) | _of_gpu(gpu, others_hidden=others_hidden)


def names(gpu: Gpu | None) -> frozenset[str]:
    """Names that every sandboxed process has, whatever the worker's own environment holds under them. bubblewrap adds PWD."""
    return frozenset({"PWD", "LD_LIBRARY_PATH", *own(""), *_of_gpu(gpu, others_hidden=True)})


def own(box: str) -> dict[str, str]:
    """What every process gets; `box` is its work directory as it sees it."""
    cache = f"{box}/cache"
    found = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": box,
        "TMPDIR": f"{box}/tmp",
        "USER": "kernel",
        "LOGNAME": "kernel",
        "LANG": "C.UTF-8",
        "XDG_CACHE_HOME": cache,
        "XDG_CONFIG_HOME": f"{box}/config",
        "TRITON_HOME": box,
        "TRITON_CACHE_DIR": f"{cache}/triton",
        "TORCHINDUCTOR_CACHE_DIR": f"{cache}/inductor",
        "TORCH_EXTENSIONS_DIR": f"{cache}/extensions",
        "CUDA_CACHE_PATH": f"{cache}/cuda",
    }
    if libraries := view.library_path():
        found["LD_LIBRARY_PATH"] = ":".join(libraries)
    return found


def _of_gpu(gpu: Gpu | None, *, others_hidden: bool) -> dict[str, str]:
    if gpu is None:
        return {"CUDA_VISIBLE_DEVICES": ""}
    # By UUID, because an index means something else where the other GPUs' nodes are not visible.
    found = {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": gpu.uuid or ("0" if others_hidden else str(gpu.index)),
    }
    if directory := driver.directory():
        found["TRITON_LIBCUDA_PATH"] = str(directory)
    return found

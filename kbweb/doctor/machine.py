"""Python, torch, Triton, compilers, GPUs."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from evaluator.host_gpus import host_gpus
from kbweb.doctor.finding import Finding
from kbweb.supervisor.machine import installed_torch


def machine() -> Iterator[Finding]:
    yield Finding("ok", "python", f"{platform.python_version()}  {sys.prefix}")
    if sys.prefix == sys.base_prefix:
        yield Finding("warn", "venv", "not in a virtual environment", "make run makes one in .venv.")
    yield from _torch()
    yield from _compiler()


def _torch() -> Iterator[Finding]:
    torch, cards = installed_torch(), host_gpus()
    if torch is None:
        yield Finding(
            "warn", "torch", "not installed: the site runs, nothing is judged here", "make run KB_TORCH=cpu (or pip install '.[worker]')."
        )
    else:
        built = f"for CUDA {torch.cuda}" if torch.cuda else "CPU build"
        level = _version(torch.version) >= (2, 11)
        yield Finding("ok" if level else "fail", "torch", f"{torch.version} ({built})", "" if level else "torch 2.11 or newer is needed.")
    try:
        yield Finding("ok", "triton", importlib.metadata.version("triton"))
    except importlib.metadata.PackageNotFoundError:
        yield Finding("warn", "triton", "not installed: Triton kernels cannot be judged here", "pip install '.[worker]'")
    if not cards:
        yield Finding("ok", "gpu", "none: kernels are judged on the CPU, Triton through its interpreter")
    for card in cards:
        fits = torch is not None and torch.cuda is not None
        yield Finding(
            "ok" if fits else "warn", "gpu", f"{card.index}: {card.name}", "" if fits else "Install a CUDA build of torch to judge on it."
        )


def _compiler() -> Iterator[Finding]:
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if compiler and header.exists():
        yield Finding("ok", "compiler", f"{compiler}, Python headers in {header.parent}")
    else:
        missing = " and ".join(([] if compiler else ["a C compiler"]) + ([] if header.exists() else ["Python's headers"]))
        level: Literal["warn", "fail"] = "warn" if not host_gpus() else "fail"
        yield Finding(
            level, "compiler", f"{missing} missing: Triton on a GPU cannot compile its launcher", "Debian: apt-get install gcc python3-dev"
        )
    yield Finding("ok", "cores", str(len(os.sched_getaffinity(0))))


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("+")[0].split(".")[:2] if part.isdigit())

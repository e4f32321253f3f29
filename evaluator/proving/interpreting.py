"""Triton's interpreter without its search for what to replace, at every launch and every call of a function within a kernel."""

from __future__ import annotations

import functools
import inspect


def remember_builtins() -> None:
    """Let the interpreter remember the names of Triton's builtins, which are the same at each of its looks.

    It goes through all members of `triton.language` and of its classes each time, which takes a quarter of the time of small kernels
    (Triton 3.7). What is replaced stays the same. Nothing happens with a Triton whose interpreter is another.
    """
    import triton.language as tl
    from triton.runtime import interpreter

    if not {"_patch_builtin", "_patch_attr"} <= vars(interpreter).keys():
        return
    patch = interpreter._patch_attr

    @functools.cache
    def names(of: object) -> tuple[str, ...]:
        return tuple(name for name, member in inspect.getmembers(of) if tl.core.is_builtin(member))

    for each in (tl, tl.math, tl.core, tl.tensor, tl.core.tensor_descriptor_base):
        names(each)  # now, while nothing is replaced

    def patch_builtin(of: object, builder: object, scope: object) -> None:
        for name in names(of):
            member = getattr(of, name)
            if tl.core.is_builtin(member):
                patch(of, name, member, builder, scope)

    interpreter._patch_builtin = patch_builtin

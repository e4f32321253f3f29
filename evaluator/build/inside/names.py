"""Which names a module binds when it is imported, as far as its text tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_DYNAMIC_CALLS = frozenset({"globals", "vars", "setattr", "exec", "eval", "locals", "__import__", "update"})
_KERNEL_DECORATORS = frozenset({"jit", "autotune", "heuristics"})


@dataclass(frozen=True)
class ModuleNames:
    """`callables`: functions and classes a caller could use, `kernels`: those that only Triton can launch, `dynamic`: names may appear
    that the text does not show (star imports, `globals()`, a module `__getattr__`, `global` in a function)."""

    bound: frozenset[str]
    callables: tuple[str, ...]
    kernels: tuple[str, ...]
    dynamic: bool


def module_names(tree: ast.Module) -> ModuleNames:
    bound: set[str] = set()
    callables: dict[str, None] = {}
    kernels: dict[str, None] = {}
    dynamic = False
    for node in _module_level(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
            dynamic |= node.name == "__getattr__"
            (kernels if any(map(_is_kernel_decorator, node.decorator_list)) else callables)[node.name] = None
        elif isinstance(node, ast.Import):
            bound |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            dynamic |= any(alias.name == "*" for alias in node.names)
            bound |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Lambda, ast.Name, ast.Call, ast.Attribute)):
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda):
                    callables[target.id] = None
    dynamic = dynamic or any(_binds_unseen(node) for node in ast.walk(tree))
    public = tuple(name for name in callables if not name.startswith("_"))
    return ModuleNames(frozenset(bound), public, tuple(kernels), dynamic)


def _module_level(tree: ast.Module) -> Iterator[ast.AST]:
    """All nodes that run in the module's own scope, in the order of the text; bodies of functions and classes do not."""
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        stack += reversed(list(ast.iter_child_nodes(node)))


def _binds_unseen(node: ast.AST) -> bool:
    if isinstance(node, ast.Global):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr in ("modules", "__dict__")
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DYNAMIC_CALLS


def _is_kernel_decorator(node: ast.expr) -> bool:
    target = node.func if isinstance(node, ast.Call) else node
    return isinstance(target, ast.Attribute) and target.attr in _KERNEL_DECORATORS and _root(target) in ("triton", "tl")


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""

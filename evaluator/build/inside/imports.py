"""Add the imports that authors of snippets leave out, on lines that exist already, so that every line keeps its number."""

from __future__ import annotations

import ast
import builtins
import re

_WANTED = {
    "torch": ("import torch", "torch"),
    "triton": ("import triton", "triton"),
    "tl": ("import triton.language as tl", "triton"),
    "F": ("import torch.nn.functional as F", "torch"),
}
_LINES = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


def add_missing_imports(source: str, tree: ast.Module, kernel_type: str) -> tuple[str, list[str], int]:
    """The source with the imports that it uses and does not make, those imports, and by how many lines the text moved (0, or 1 where
    the file begins with a `def`, `class` or decorator, before which nothing fits on the line)."""
    missing = _missing(tree, kernel_type)
    if not missing or not tree.body or not _is_utf8(source):
        return source, [], 0
    statement = "; ".join(missing)
    mark = "\ufeff" if source.startswith("\ufeff") else ""
    prepared = _on_existing_lines(source, tree, statement, mark)
    if prepared is not None and _same_program(prepared, tree, len(missing)):
        return prepared, missing, 0
    return f"{mark}{statement}\n{source[len(mark) :]}", missing, 1


def _on_existing_lines(source: str, tree: ast.Module, statement: str, mark: str) -> str | None:
    """None where nothing fits before a definition on the first line."""
    lines = _LINES.findall(source[len(mark) :])
    after, first = _prologue(tree)
    if after is not None:
        row, column = after
        lines[row - 1] = _insert(lines[row - 1], column, f"; {statement}")
        return mark + "".join(lines)
    assert first is not None
    row, column = _start(first)
    if not _is_compound(first):
        lines[row - 1] = _insert(lines[row - 1], column, f"{statement}; ")
    elif row > 1:
        # Only comments and blank lines stand before the first statement.
        comment = lines[row - 2]
        lines[row - 2] = f"{statement}  {comment.lstrip()}" if comment.strip() else statement + comment[len(comment.rstrip("\r\n")) :]
    else:
        return None
    return mark + "".join(lines)


def _same_program(prepared: str, tree: ast.Module, added: int) -> bool:
    """Whether the text still parses, to as many more statements as were added, each old one on its old line."""
    try:
        body = ast.parse(prepared.encode()).body
    except (SyntaxError, ValueError):
        return False
    return len(body) == len(tree.body) + added and body[-1].lineno == tree.body[-1].lineno


def _missing(tree: ast.Module, kernel_type: str) -> list[str]:
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    bound = _bound_anywhere(tree)
    allowed = {"torch", "triton"} if kernel_type == "triton" else {"torch"}
    return [line for name, (line, package) in _WANTED.items() if package in allowed and name in used and name not in bound]


def _bound_anywhere(tree: ast.Module) -> set[str]:
    """Names that the author binds anywhere: an import inside a function or a parameter `F` is the author's own affair."""
    bound: set[str] = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
    return bound


def _prologue(tree: ast.Module) -> tuple[tuple[int, int] | None, ast.stmt | None]:
    """Where the last of docstring and `from __future__` imports ends, and the first statement after them."""
    end = None
    for index, node in enumerate(tree.body):
        is_docstring = (
            index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or is_future):
            return end, node
        end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    return end, None


def _start(node: ast.stmt) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return (decorators[0].lineno, 0) if decorators else (node.lineno, node.col_offset)


def _is_compound(node: ast.stmt) -> bool:
    return hasattr(node, "body") or isinstance(node, ast.Match)


def _insert(line: str, column: int, text: str) -> str:
    """`column` counts UTF-8 bytes, as the parser does."""
    raw = line.encode()
    return (raw[:column] + text.encode() + raw[column:]).decode()


def _is_utf8(source: str) -> bool:
    for line in source.split("\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found:
            return found.group(1).lower().replace("_", "-") in ("utf-8", "utf8", "ascii", "us-ascii")
    return True

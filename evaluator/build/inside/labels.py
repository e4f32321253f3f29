"""Labels: what a reader should know about the text. They never decide anything; results do."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MAX_LABELS = 40
_STREAM_NAMES = frozenset({"Stream", "ExternalStream", "stream", "set_stream"})
_STREAM_TEXT = re.compile(r"\b(cudaStreamCreate\w*|cuStreamCreate\w*|getStreamFromPool|getStreamFromExternal)\b")
_PARALLEL = frozenset({"threading", "_thread", "multiprocessing", "concurrent", "subprocess", "asyncio"})
_FORKS = frozenset({"fork", "forkpty", "system", "popen", "posix_spawn", "posix_spawnp"})
_PATCHED = frozenset({"torch", "triton", "time", "builtins", "sys", "gc"})
_FRAMES = frozenset({"_getframe", "currentframe", "f_back", "f_globals", "f_locals", "get_objects", "get_referrers"})


@dataclass(frozen=True)
class Label:
    name: str
    detail: str
    line: int


def label(tree: ast.Module, source: str, reference_names: list[str]) -> list[Label]:
    """Labels in the order of the text, each (name, detail) once."""
    found: dict[tuple[str, str], Label] = {}
    for item in _walk(tree, frozenset(reference_names)):
        found.setdefault((item.name, item.detail), item)
    for match in itertools.islice(_STREAM_TEXT.finditer(source), _MAX_LABELS):
        item = Label("uses_cuda_stream", match.group(1), source.count("\n", 0, match.start()) + 1)
        found.setdefault((item.name, item.detail), item)
    return sorted(found.values(), key=lambda item: item.line)[:_MAX_LABELS]


def _walk(tree: ast.Module, reference_names: frozenset[str]) -> Iterator[Label]:
    aliases = _aliases(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _import_labels(node)
        elif isinstance(node, ast.Attribute):
            dotted = _dotted(node, aliases)
            if dotted and dotted.startswith("torch.") and node.attr in _STREAM_NAMES and ".cuda." in f".{dotted}":
                yield Label("uses_cuda_stream", dotted, node.lineno)
            if dotted in {f"os.{name}" for name in _FORKS}:
                yield Label("spawns_threads", dotted, node.lineno)
            if node.attr in _FRAMES:
                yield Label("walks_frames", node.attr, node.lineno)
            if isinstance(node.ctx, (ast.Store, ast.Del)) and dotted and dotted.split(".")[0] in _PATCHED:
                yield Label("patches_modules", dotted, node.lineno)
        elif isinstance(node, ast.Call):
            yield from _call_labels(node, reference_names, aliases)


def _import_labels(node: ast.Import | ast.ImportFrom) -> Iterator[Label]:
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    for module in modules:
        root = module.split(".")[0]
        if root in _PARALLEL:
            yield Label("spawns_threads", root, node.lineno)
        if root in ("ctypes", "cffi", "mmap"):
            yield Label("reaches_memory", root, node.lineno)
    if isinstance(node, ast.ImportFrom) and node.module == "torch.cuda":
        for alias in node.names:
            if alias.name in _STREAM_NAMES:
                yield Label("uses_cuda_stream", f"torch.cuda.{alias.name}", node.lineno)


def _call_labels(node: ast.Call, reference_names: frozenset[str], aliases: dict[str, str]) -> Iterator[Label]:
    target = node.func
    if isinstance(target, ast.Name):
        dotted = aliases.get(target.id, target.id)
        if target.id == "setattr" and node.args and (_dotted(node.args[0], aliases) or "").split(".")[0] in _PATCHED:
            yield Label("patches_modules", f"setattr({_dotted(node.args[0], aliases)}, …)", node.lineno)
        if dotted.startswith("torch.") and dotted.rpartition(".")[2] in reference_names:
            yield Label("calls_reference_op", dotted, node.lineno)
    elif isinstance(target, ast.Attribute):
        full = _dotted(target, aliases)
        parts = (full or f".{target.attr}").split(".")
        if parts[0] in ("torch", "") and reference_names.intersection(parts[1:]) and not (full or "").startswith("triton."):
            yield Label("calls_reference_op", full or f"(tensor).{target.attr}", node.lineno)
        elif full and parts[0] not in ("torch", "triton", "math", "numpy") and target.attr in reference_names:
            yield Label("calls_reference_op", full, node.lineno)
        if full and full.startswith("torch.library."):
            yield Label("patches_modules", full, node.lineno)


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Local name → dotted name of what an import gave it, for torch, triton and the few others that matter here."""
    found: dict[str, str] = {"F": "torch.nn.functional", "tl": "triton.language"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str | None:
    """`torch.cuda.Stream` for such an attribute chain, import aliases resolved; None when it does not start at a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([aliases.get(node.id, node.id), *reversed(parts)])

"""What of the host a sandboxed process may read: Python, its packages, the system's libraries and compiler, a few files of ours."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

# Our tree, relative to the directory that holds `evaluator/`. Nothing else of it is visible inside.
OURS = (
    "evaluator/__init__.py",
    "evaluator/contract.py",
    "evaluator/jsonable.py",
    "evaluator/protocol.py",
    "evaluator/candidate",
    "evaluator/sandbox/inside",
    "evaluator/build/inside",
    "evaluator/profiling/inside",
)
TREE = Path(__file__).resolve().parent.parent.parent

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/OpenCL/vendors",
)
# Places where images keep a CUDA toolkit or the driver's libraries outside /usr.
EXTRA = ("/opt/cuda", "/opt/nvidia", "/opt/hpcx", "/run/opengl-driver", "/nix/store")


def our_files() -> tuple[str, ...]:
    """The files of `OURS`, relative to the tree. A run gets copies: the tree's own may be unreadable for its uid (umask 077)."""
    files = [path for name in OURS for path in ((TREE / name).rglob("*.py") if (TREE / name).is_dir() else [TREE / name])]
    return tuple(sorted(str(path.relative_to(TREE)) for path in files))


def python_directories() -> tuple[Path, ...]:
    """Directories of this interpreter, its standard library and its packages, outermost only."""
    wanted = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix), Path(sys.base_exec_prefix)}
    wanted |= {Path(path) for path in site.getsitepackages()}
    wanted |= {Path(path) for path in sys.path if Path(path).name in ("site-packages", "dist-packages")}
    wanted |= {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "include", "platinclude")}
    wanted |= _interpreter_links(Path(sys.executable))
    return outermost(_nearest(wanted))


def library_path() -> tuple[str, ...]:
    """Absolute directories of LD_LIBRARY_PATH: some GPU images keep the driver's libraries only there."""
    return tuple(part for part in os.environ.get("LD_LIBRARY_PATH", "").split(":") if part.startswith("/") and Path(part).is_dir())


def readable_directories(extra: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Everything that is bound read-only besides the system directories."""
    wanted = {*python_directories(), *(Path(p) for p in library_path()), *(Path(p) for p in EXTRA), *(Path(p).resolve() for p in extra)}
    return tuple(path for path in outermost(wanted) if path.exists() and not _within_system(path))


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Sorted, without those that lie inside another one."""
    kept: list[Path] = []
    for path in sorted({p.absolute() for p in paths}):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return tuple(kept)


def _interpreter_links(executable: Path) -> set[Path]:
    """Directories on the way from the interpreter's name to its file: each link must resolve inside too."""
    found = set()
    for _ in range(16):
        found.add(executable.parent)
        if not executable.is_symlink():
            break
        executable = executable.parent / executable.readlink()
    return found


def _nearest(paths: Iterable[Path]) -> set[Path]:
    """The paths and, where a link is on the way, the places they lead to; never a whole root or home directory."""
    found = {p for path in paths for p in (path.absolute(), path.resolve())}
    return {p for p in found if p.exists() and p != Path("/") and not Path.home().is_relative_to(p)}


def _within_system(path: Path) -> bool:
    return any(path.is_relative_to(directory) for directory in SYSTEM)

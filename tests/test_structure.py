"""What keeps the code's shape: who may import whom, how long a file may be, what must not be written anywhere."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.ops import registry

ROOT = Path(__file__).parent.parent
PACKAGES = ("kbweb", "submissions", "evaluator", "leaderboard")
MAY_IMPORT = {
    "evaluator": {"evaluator"},
    "submissions": {"submissions", "evaluator", "kbweb"},
    "leaderboard": {"leaderboard", "submissions", "evaluator", "kbweb"},
    "kbweb": set(PACKAGES),
}
SHARED_BY_KBWEB = ("kbweb.api", "kbweb.models", "kbweb.broker", "kbweb.env")
SITE_ONLY = ("django", "rest_framework", "channels", "psycopg", "dramatiq", "knox", "structlog", "httpx")
LONGEST_FILE = 300


def sources(package: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / package).rglob("*.py")) if "migrations" not in path.parts)


@functools.cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Imported module names, and whether the import runs when the module itself is imported."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(path.read_text())
    late = {id(node) for outer in ast.walk(tree) if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)) for node in ast.walk(outer)}
    guards = [outer for outer in ast.walk(tree) if isinstance(outer, ast.If) and "TYPE_CHECKING" in ast.unparse(outer.test)]
    typing_only = {id(node) for outer in guards for node in ast.walk(outer)}
    for node in ast.walk(tree):
        at_import = id(node) not in late and id(node) not in typing_only
        if isinstance(node, ast.Import):
            yield from ((alias.name, at_import) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, at_import


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package: str) -> None:
    wrong = []
    for path in sources(package):
        for name, _ in imports(path):
            top = name.split(".")[0]
            if top in PACKAGES and top not in MAY_IMPORT[package]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
            if package in ("submissions", "leaderboard") and top == "kbweb" and not name.startswith(SHARED_BY_KBWEB):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}: only {', '.join(SHARED_BY_KBWEB)} are shared")

    assert not wrong, "\n".join(wrong)


def importers(package: str, names: tuple[str, ...]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}" for path in sources(package) for name, _ in imports(path) if name.split(".")[0] in names
    ]


def test_the_evaluator_is_a_plain_library() -> None:
    assert importers("evaluator", SITE_ONLY) == []


@pytest.mark.parametrize("package", ("kbweb", "submissions", "leaderboard"))
def test_the_site_never_imports_torch(package: str) -> None:
    assert importers(package, ("torch", "triton", "numpy")) == []


def test_listing_ops_and_serving_pages_needs_no_torch() -> None:
    script = (
        "import sys; sys.modules['torch'] = None; sys.modules['triton'] = None; sys.modules['numpy'] = None;"
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'kbweb.settings';"
        "import django; django.setup(); import kbweb.urls; import evaluator.ops.registry as r; print(len(r.all_ops()))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(registry.all_ops())


@pytest.mark.parametrize("package", PACKAGES)
def test_files_hold_one_concept(package: str) -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources(package)}
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE}

    assert not long, f"look for the second concept in {long}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_is_a_drawer(package: str) -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "misc"}

    assert not [str(path) for path in (ROOT / package).rglob("*") if path.stem in drawers]


def test_nothing_names_a_machine() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, cwd=ROOT, check=True).stdout.split("\0")
    pattern = re.compile(r"/(?:home|Users)/[a-z]\w*/|/work/[a-z]|/root/(?!\.)[a-z]")
    wrong = []
    for name in filter(None, tracked):
        path = ROOT / name
        if (
            path.suffix in (".py", ".md", ".html", ".css", ".js", ".toml", ".yaml", ".json", "")
            and path.is_file()
            and name != "tests/test_structure.py"
        ):
            wrong += [f"{name}: {found.group()}" for found in pattern.finditer(path.read_text(errors="replace"))]

    assert not wrong, "\n".join(wrong)

"""Order, markers and what every test may ask for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live_site import LiveSite, live_site
from tests.needs import has_gpu, need

HERE = Path(__file__).parent
GPU = has_gpu()
LAST = {"slow": 1, "browser": 2, "gpu": 3}
not_run: list[str] = []


@pytest.fixture
def needs() -> Callable[[object, str], None]:
    """`needs(shutil.which("bwrap"), "bubblewrap")`: skipped locally when absent, failed in CI."""
    return need


@pytest.fixture(scope="session")
def site() -> Iterator[LiveSite]:
    """One running site for all tests that only use it. A test that kills or restarts parts of it starts its own (`live_site()`)."""
    with live_site(KB_DEVICES="cpu") as running:
        yield running


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave `tests/gpu` alone where there is no GPU, and remember what it holds."""
    if GPU or HERE / "gpu" not in collection_path.parents or collection_path.suffix != ".py":
        return None
    if collection_path.name.startswith("test_"):
        tests = (node.name for node in ast.walk(ast.parse(collection_path.read_text())) if isinstance(node, ast.FunctionDef))
        not_run.extend(f"{collection_path.relative_to(HERE.parent)}::{name}" for name in tests if name.startswith("test_"))
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fast tests first, so that a failure shows early; GPU tests only where a GPU is."""
    for item in items:
        if HERE / "browser" in item.path.parents:
            item.add_marker("browser")
        if "site" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("site"))
        if HERE / "gpu" in item.path.parents:
            item.add_marker("gpu")
    if not GPU and (without := [item for item in items if item.get_closest_marker("gpu")]):
        not_run.extend(item.nodeid for item in without)
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if item not in without]
    items.sort(key=lambda item: max((rank for name, rank in LAST.items() if item.get_closest_marker(name)), default=0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not GPU and not_run:
        terminalreporter.section("not run: no GPU")
        for name in sorted(set(not_run)):
            terminalreporter.line(name)

"""Order, markers and what every test may ask for."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from tests.live_site import LiveSite, live_site
from tests.needs import has_gpu, need
from tests.smoke_ops import put_in, set_aside

HERE = Path(__file__).parent
GPU = has_gpu()
CORES = os.sched_getaffinity(0)
SITES = {"site", "own"}
"""Fixtures that are a running site. All tests of one are a group, so that it is started once."""
LAST = {"slow": 1, "browser": 2, "filler": 3, "gpu": 4}


@pytest.fixture
def needs() -> Callable[[object, str], None]:
    """`needs(shutil.which("bwrap"), "bubblewrap")`: skipped locally when absent, failed in CI."""
    return need


@pytest.fixture(scope="session")
def _smoke_ops_aside(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock():
        set_aside()


@pytest.fixture
def smoke_ops(_smoke_ops_aside: None, db: None) -> None:
    """The ops of the suite `smoke` and all devices, as rows of the test."""
    put_in()


@pytest.fixture(scope="session")
def site() -> Iterator[LiveSite]:
    """One running site for all tests that only use it. A test that kills or restarts parts of it takes `own`."""
    with live_site(KB_DEVICES="cpu", KB_EXAMPLES="on") as running:
        yield running


@pytest.fixture(scope="session")
def own() -> Iterator[LiveSite]:
    """One running site that tests may break; each leaves it running but the last, of `tests/kbweb/test_kb_up.py`."""
    with live_site(KB_DEVICES="cpu", KB_WEBHOOKS_PRIVATE="true") as running:
        yield running


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave `tests/gpu` alone where there is no GPU."""
    return True if not GPU and HERE / "gpu" in (collection_path, *collection_path.parents) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Fast tests first, so that a failure shows early; GPU tests only where a GPU is, and there one at a time.

    Those with a browser after all that ask a database: Playwright leaves an event loop in its worker, in which Django refuses to. Behind
    them many short ones that ask none: one worker has them while the other is in the last long group. Markers are there before xdist
    reads the groups, and the order is made when pytest has made its own.
    """
    for item in items:
        if HERE / "browser" in item.path.parents:
            item.add_marker("browser")
        for name in SITES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(name))
        if HERE / "gpu" in item.path.parents:
            item.add_marker("gpu")
            item.add_marker(pytest.mark.xdist_group("gpu"))
    yield
    if not GPU and (without := [item for item in items if item.get_closest_marker("gpu")]):
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if item not in without]
    items.sort(key=place)


def place(item: pytest.Item) -> tuple[int, bool]:
    """Rank of an item, and whether it is late in it.

    A whole group is where its first test is: all that share a site have the place of those with a browser, which some of them use.
    """
    shares = "browser" if SITES.intersection(getattr(item, "fixturenames", ())) else ""
    rank = max((rank for name, rank in LAST.items() if name == shares or item.get_closest_marker(name)), default=0)
    return rank, item.get_closest_marker("late") is not None


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """A judge that a test makes in this process leaves the core that it times on, and all that is started later would inherit that."""
    os.sched_setaffinity(0, CORES)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is set up once for a group of tests must not be set up in every worker: xdist shows a group behind the test's name."""
    if not getattr(session.config.option, "loadgroup", False):
        return
    if alone := [item.nodeid for item in session.items if item.get_closest_marker("xdist_group") and "@" not in item.nodeid]:
        raise pytest.UsageError(f"this pytest and this pytest-xdist do not keep groups together: {alone[0]} is in none")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List what a GPU would have run, when the whole suite was asked for (xdist's controller collects nothing: read the files)."""
    if GPU or not any(Path(argument).resolve() in (HERE, HERE.parent, HERE / "gpu") for argument in config.args):
        return
    names = sorted(f"{path.relative_to(HERE.parent)}::{name}" for path in HERE.rglob("test_*.py") for name in gpu_tests(path))
    if names:
        terminalreporter.section("not run: no GPU")
        for name in names:
            terminalreporter.line(name)


def gpu_tests(path: Path) -> Iterator[str]:
    """Names of the GPU tests in a file: all of them below `tests/gpu`, elsewhere those marked `gpu`."""
    tree = ast.parse(path.read_text())
    marked = any(isinstance(node, ast.Assign) and "mark.gpu" in ast.unparse(node) for node in tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            own = any("mark.gpu" in ast.unparse(decorator) for decorator in node.decorator_list)
            if own or marked or HERE / "gpu" in path.parents:
                yield node.name

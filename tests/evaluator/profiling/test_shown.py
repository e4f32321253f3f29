"""Which folders of the host a kernel gets to see beside a tool."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.profiling import ncu, nsys, shown
from evaluator.profiling.running import ToolFailed
from evaluator.profiling.shown import folder_of
from evaluator.sandbox import view


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home" / "somebody"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    return home


def installed(folder: Path, name: str = "ncu") -> Path:
    for part in ncu.LAYOUT:
        (folder / part).mkdir(parents=True)
    (folder / name).write_text("#!/bin/sh\n")
    return folder / name


def refused(program: Path, levels: int = 0) -> str:
    with pytest.raises(ToolFailed, match="its folder cannot be shown to a kernel") as failed:
        folder_of(program, levels, ncu.LAYOUT)
    return str(failed.value)


@pytest.mark.parametrize("program", ["/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/2026.1/ncu"])
def test_folders_of_the_system(program: str) -> None:
    assert folder_of(Path(program), 0, ncu.LAYOUT) == Path(program).resolve().parent


@pytest.mark.parametrize(("program", "levels"), [("/ncu", 0), ("/ncu", 3), ("/opt/ncu", 0), ("/opt/bin/nsys", 1), ("/srv/tools/ncu", 0)])
def test_folders_that_hold_other_things(program: str, levels: int) -> None:
    refused(Path(program), levels)


def test_a_folder_that_holds_the_tool_counts_wherever_it_is(home: Path) -> None:
    folder = home / "nsight"

    assert folder_of(installed(folder), 0, ncu.LAYOUT) == folder


def test_nsight_systems_lies_a_folder_deeper(home: Path) -> None:
    folder = home / "nsight-systems"
    (folder / "bin").mkdir(parents=True)
    (folder / "target-linux-x64").mkdir()

    assert folder_of(folder / "bin" / "nsys", 1, nsys.LAYOUT) == folder


def test_a_link_on_the_path_leads_to_the_tools_own_folder(home: Path) -> None:
    folder = home / "nsight"
    (home / "bin").mkdir()
    (home / "bin" / "ncu").symlink_to(installed(folder))

    assert folder_of(home / "bin" / "ncu", 0, ncu.LAYOUT) == folder


def test_a_wrapper_in_a_folder_of_programs_is_not_shown_with_them(home: Path) -> None:
    (home / "bin").mkdir()
    (home / "bin" / "ncu").write_text("#!/bin/sh\n")

    assert "is not where this tool is installed" in refused(home / "bin" / "ncu")


def test_a_home_our_tree_and_the_data_are_never_shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, data = home.parent.parent / "tree", home.parent.parent / "lib" / "data"
    monkeypatch.setattr(view, "TREE", tree / "code")
    monkeypatch.setenv("KB_DATA_DIR", str(data))

    for folder in (home, home.parent, tree, data, data.parent):
        assert "holds more than the tool" in refused(installed(folder)), folder


def test_also_below_the_systems_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "SYSTEM", (home.parent,))

    assert "holds more than the tool" in refused(home / "ncu")

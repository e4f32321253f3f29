"""The folder that a person names for artefacts."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from evaluator import cli
from evaluator.profiling.folder import kept_in, made


def test_files_are_copied_over_older_ones(tmp_path: Path) -> None:
    folder = made(str(tmp_path / "a" / "b"))
    (folder / "trace.json.gz").write_text("old")

    with kept_in(folder) as private:
        assert private is not None
        assert private != folder
        (private / "trace.json.gz").write_text("new")

    assert (folder / "trace.json.gz").read_text() == "new"
    assert not private.exists()


def test_without_a_folder_there_is_none() -> None:
    with kept_in(None) as private:
        assert private is None


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(argparse.ArgumentTypeError, match="nothing can be put into"):
        made(str(tmp_path / "file"))
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", "kernel.py", "--op", "relu", "--artefacts", str(tmp_path / "file")])
    assert ended.value.code == cli.USAGE
    assert "nothing can be put into the folder" in capsys.readouterr().err

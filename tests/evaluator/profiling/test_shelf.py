"""Artefacts on their way: bounded, under plain names, and the bytes that were noted."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from evaluator.profiles import MAX_ARTEFACT_BYTES, MAX_ARTEFACTS, MAX_ARTEFACTS_BYTES, MEDIA_TYPES, ArtefactKind
from evaluator.profiling.artefacts import MOST_LEFT_OUT, NAME, ArtefactError, Shelf, plain, read

PTX = ArtefactKind.PTX


def test_what_is_put_is_read(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)

    name = shelf.put("kernel-0.ptx", PTX, b"ret;")

    (artefact,) = read(tmp_path, shelf.notes)
    assert (name, artefact.data, artefact.note.size_bytes, artefact.note.kind) == ("kernel-0.ptx", b"ret;", 4, PTX)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_without_a_folder_nothing_is_kept() -> None:
    shelf = Shelf(None)

    assert shelf.put("a.ptx", PTX, b"x") == ""
    assert shelf.notes == ()
    assert shelf.take_left_out() == ()


def test_what_has_no_room_is_left_out(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    whole = bytes(MAX_ARTEFACT_BYTES)

    assert shelf.put("too-large", PTX, whole + b"x") == ""
    assert shelf.put("empty", PTX, b"") == ""
    kept = [shelf.put(f"n{number}", PTX, whole) for number in range(6)]

    assert [bool(name) for name in kept] == [True] * 4 + [False] * 2
    assert sum(note.size_bytes for note in shelf.notes) == MAX_ARTEFACTS_BYTES
    assert len(list(tmp_path.iterdir())) == 4
    together = "all files together have at most 32 MiB"
    assert shelf.take_left_out() == ("too-large: 8.0 MiB, a file has at most 8 MiB", f"n4: {together}", f"n5: {together}")


def test_there_are_only_so_many_and_no_name_twice(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)

    names = [shelf.put(f"n{number}", PTX, b"x") for number in range(MAX_ARTEFACTS + 5)]
    again = Shelf(tmp_path / "other")

    assert sum(map(bool, names)) == MAX_ARTEFACTS
    (tmp_path / "other").mkdir()
    assert [again.put("same", PTX, b"1"), again.put("same", PTX, b"2")] == ["same", ""]
    assert shelf.take_left_out()[0] == f"n{MAX_ARTEFACTS}: there are {MAX_ARTEFACTS} files already"
    assert again.take_left_out() == ("same: a file of this name is there already",)


def test_what_was_left_out_is_told_once_and_is_bounded() -> None:
    shelf = Shelf(None)
    for number in range(MOST_LEFT_OUT + 20):
        shelf.leave_out(f"{number}\x1b" * 1000)

    said = shelf.take_left_out()

    assert len(said) == MOST_LEFT_OUT + 1
    assert said[-1] == "and 20 more"
    assert all(len(sentence) <= 300 and sentence.isprintable() for sentence in said)
    assert shelf.take_left_out() == ()


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "", "a" * 81, "a b", "a\n"])
def test_other_names_are_a_fault_of_ours(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="plain file name"):
        Shelf(tmp_path).put(name, PTX, b"x")


@pytest.mark.parametrize("name", ["softmax_kernel", "../../etc/passwd", "", "void f<int, (x)1>(T*)", "ß" * 100, "x" * 500, "\x00"])
def test_whatever_a_kernel_is_called_gives_a_plain_name(name: str) -> None:
    assert NAME.fullmatch(f"{plain(name)}-0123abcd.sass")


def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.put("a", PTX, b"right")
    (tmp_path / "a").write_bytes(b"wrong")

    with pytest.raises(ArtefactError, match="does not hold the bytes"):
        read(tmp_path, shelf.notes)


def test_a_link_a_missing_file_and_a_pipe_are_refused(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.put("a", PTX, b"x")
    (tmp_path / "a").rename(tmp_path / "elsewhere")
    with pytest.raises(ArtefactError, match="cannot be read"):
        read(tmp_path, shelf.notes)
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ArtefactError, match="cannot be read"):
        read(tmp_path, shelf.notes)
    (tmp_path / "a").unlink()
    os.mkfifo(tmp_path / "a")
    with pytest.raises(ArtefactError):
        read(tmp_path, shelf.notes)


def test_notes_beyond_the_bounds_are_refused(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.put("a", PTX, b"x")
    (note,) = shelf.notes

    for wrong in (dataclasses.replace(note, name="../a"), dataclasses.replace(note, size_bytes=MAX_ARTEFACT_BYTES + 1)):
        with pytest.raises(ArtefactError, match="not allowed"):
            read(tmp_path, [wrong])
    with pytest.raises(ArtefactError, match="more than"):
        read(tmp_path, [note] * (MAX_ARTEFACTS + 1))


def test_every_kind_has_a_media_type_that_no_browser_runs() -> None:
    assert set(MEDIA_TYPES) == set(ArtefactKind)
    assert {kind.split(";")[0] for kind in MEDIA_TYPES.values()} <= {
        "text/plain",
        "text/csv",
        "application/gzip",
        "application/octet-stream",
    }

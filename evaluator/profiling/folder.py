"""A folder of the user's for what profilers leave."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


def made(path: str) -> Path:
    """A folder that files can be put into, made when it is missing. Raises `argparse.ArgumentTypeError`."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
        why = "not writable"
    except OSError as error:
        why = error.strerror or str(error)
    raise argparse.ArgumentTypeError(f"nothing can be put into the folder {path}: {why}")


@contextlib.contextmanager
def kept_in(folder: Path | None) -> Iterator[Path | None]:
    """A private folder to fill, whose files are copied to `folder` at the end, over older ones of their names; None without `folder`."""
    if folder is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="kbweb-artefacts-") as private:
        yield Path(private)
        for path in Path(private).iterdir():
            shutil.copyfile(path, folder / path.name)

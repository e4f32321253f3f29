"""Which folder of the host is shown to a kernel, so that a tool that is not among the system's own files can run beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluator.calibration.store import data_directory
from evaluator.profiling.running import ToolFailed
from evaluator.sandbox import view

SYSTEM = (Path("/usr"), Path("/opt"))


def folder_of(program: Path, levels: int, layout: Sequence[str]) -> Path:
    """The folder `levels` above the program's own, which holds the tool. `layout`: patterns of what lies in a folder of this tool.

    What is on the path may be anybody's link, so a folder counts only below the system's own or when it really holds the tool, and never
    one that also holds files of ours or of the user's. Raises `ToolFailed`.
    """
    parents = program.resolve().parents
    folder = parents[min(levels, len(parents) - 1)]
    ours = (Path.home(), view.TREE, data_directory())
    if any(place.resolve().is_relative_to(folder) for place in ours):
        raise ToolFailed(f"its folder cannot be shown to a kernel: {folder} holds more than the tool")
    of_system = any(folder != place and folder.is_relative_to(place) for place in SYSTEM)
    if not of_system and not all(any(folder.glob(pattern)) for pattern in layout):
        raise ToolFailed(f"its folder cannot be shown to a kernel: {folder} is not where this tool is installed")
    return folder

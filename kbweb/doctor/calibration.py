"""The measured ceilings of this machine's devices: what is stored, and measuring them anew."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluator.calibration import store
from evaluator.calibration.command import lines
from evaluator.calibration.record import HOW, Calibration, ceilings, facts, why_stale
from evaluator.contract import from_json, to_json
from evaluator.devices import device_class
from evaluator.host_gpus import host_gpus
from kbweb.doctor.finding import Finding
from kbweb.supervisor.machine import installed_torch

LONGEST_S = 900.0
"""Ten minutes of waiting for the device's lock, and the measuring."""


def folder(data_dir: Path) -> Path:
    return Path(os.environ.get("KB_CALIBRATION_DIR") or data_dir / "calibration")


def stored(data_dir: Path) -> Iterator[Finding]:
    """A line for each device that was ever calibrated here, whether it still holds or not, and one where none was.

    The judge compares more of the environment than can be known here without torch; what it says stands at `/status/`.
    """
    names = store.all_names(folder(data_dir))
    if not names:
        yield Finding(
            "ok", "calibration", "none: limits come from the table of devices alone", f"{HOW} measures this machine (under a minute)."
        )
    for name in names:
        found = store.load(name, folder(data_dir))
        if isinstance(found, str):
            yield Finding("warn", "calibration", f"{name}: {found}", HOW)
        elif stale := why_stale(found.device, found, environment(found)):
            yield Finding("warn", "calibration", f"{name}: stale since {stale}; measured {found.made_at[:10]}", f"{HOW} measures again.")
        else:
            yield Finding("ok", "calibration", f"{name}: measured {found.made_at[:10]}")


def environment(found: Calibration) -> dict[str, str]:
    """What can be known without torch of the environment that a calibration depends on."""
    now: dict[str, str] = {}
    if (torch := installed_torch()) is not None:
        now["torch"] = torch.version
    names = [card.name for card in host_gpus()]
    if found.device != "cpu" and names and found.fingerprint.get("device_name") not in names:
        now["device_name"] = ", ".join(names)
    return now


@dataclass(frozen=True, slots=True)
class Measured:
    """The end of one measurement: the figures, or what went wrong."""

    device: str
    found: Calibration | None
    error: str = ""

    def lines(self) -> list[str]:
        return list(lines(self.found, device_class(self.found.device))) if self.found is not None else [f"{self.device}: {self.error}"]


def devices() -> list[str]:
    """What `--calibrate` measures when nothing is named: every GPU, else the CPU."""
    torch = installed_torch()
    usable = host_gpus() if torch is not None and torch.cuda is not None else []
    return [f"cuda:{card.index}" for card in usable] or ["cpu"]


def calibrate(device: str, data_dir: Path, *, seconds: float | None = None) -> Measured:
    """Measure one device in a process of its own and keep the figures. Workers of this machine take them from the next evaluation on.

    `seconds`: begin nothing after so many; None: as many as a calibration takes.
    """
    command = [sys.executable, "-m", "evaluator", "calibrate", "--device", device, "--dir", str(folder(data_dir)), "--json"]
    if seconds is not None:
        command += ["--seconds", f"{seconds:g}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return Measured(device, None, f"no answer within {LONGEST_S:g} s")
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"]
        return Measured(device, None, said[-1])
    try:
        return Measured(device, from_json(Calibration, json.loads(done.stdout)))
    except (TypeError, ValueError) as error:
        return Measured(device, None, f"its answer cannot be read: {error}")


def tell_the_site(found: Calibration, data_dir: Path) -> str:
    """Write the figures to the rows of this machine's workers of the device. What was done, in words."""
    if not os.environ.get("DATABASE_URL") and not (data_dir / "database.json").exists():
        return "no site here"
    os.environ.setdefault("KB_DATA_DIR", str(data_dir))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
    import django
    from django.db import DatabaseError

    django.setup()
    from submissions.models import Worker

    measured = to_json(facts(ceilings(device_class(found.device), found, found.fingerprint)))
    wanted = found.fingerprint.get("gpu_uuid_hash")
    try:
        rows = list(Worker.objects.filter(host=socket.gethostname()[:60], device=found.device))
        rows = [row for row in rows if wanted is None or row.environment.get("gpu_uuid_hash") == wanted]
        for row in rows:
            row.calibration = measured
            row.save(update_fields=["calibration"])
    except DatabaseError as error:
        return f"the site was not told ({str(error).strip().splitlines()[0]}); its workers read the file by themselves"
    return f"told the site: {len(rows)} worker{'' if len(rows) == 1 else 's'}"

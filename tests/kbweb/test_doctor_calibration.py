"""`kb doctor` on calibrations: what is stored and whether it holds, measuring anew, and what the site is told."""

from __future__ import annotations

import dataclasses
import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluator.calibration import store
from evaluator.calibration.record import Calibration, Figure
from kbweb.cli import app
from kbweb.doctor import calibration
from kbweb.supervisor.machine import installed_torch
from submissions.models import Worker
from tests.needs import need

MADE = Calibration("cpu", "2026-11-21T12:00:00+00:00", 9.0, {}, bytes_per_s={"copy": (Figure("copy", 1e10, 9e9, 1.1e10, 7),)})


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("KB_CALIBRATION_DIR", raising=False)
    monkeypatch.setenv("KB_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("KB_LOCK_DIR", str(tmp_path / "locks"))
    return tmp_path


def keep(found: Calibration, data_dir: Path) -> None:
    store.save(found, found.device, data_dir / "calibration")


def test_nothing_measured_is_no_fault_and_says_how(data_dir: Path) -> None:
    (finding,) = calibration.stored(data_dir)

    assert finding.level == "ok" and "table of devices alone" in finding.said and "kb doctor --calibrate" in finding.todo


def test_one_that_holds_and_one_that_does_not(data_dir: Path) -> None:
    torch = installed_torch()
    need(torch, "torch")
    assert torch is not None
    keep(dataclasses.replace(MADE, fingerprint={"torch": torch.version}), data_dir)
    keep(dataclasses.replace(MADE, device="h100", fingerprint={"torch": "1.0"}), data_dir)
    (data_dir / "calibration" / "h200-1.json").write_text("{")

    cpu, h100, h200 = calibration.stored(data_dir)

    assert (cpu.level, cpu.said) == ("ok", "cpu: measured 2026-11-21")
    assert (h100.level, h100.said) == ("warn", f"h100: stale since torch was 1.0, is {torch.version}; measured 2026-11-21")
    assert h200.level == "warn" and "is no calibration" in h200.said


@pytest.mark.django_db
def test_the_site_is_told_of_the_workers_of_this_machine(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://whatever")
    here, mine = socket.gethostname()[:60], {"gpu_uuid_hash": "3fa9"}
    Worker.objects.create(name="a", queue="device.h100", device="h100", host=here, environment=mine)
    Worker.objects.create(name="b", queue="device.h100", device="h100", host=here, environment={"gpu_uuid_hash": "beef"})
    Worker.objects.create(name="c", queue="device.h100", device="h100", host="elsewhere", environment=mine)

    said = calibration.tell_the_site(dataclasses.replace(MADE, device="h100", fingerprint=mine), data_dir)

    assert said == "told the site: 1 worker"
    told = {worker.name: worker.calibration for worker in Worker.objects.all()}
    assert told == {"a": {"note": "measured 2026-11-21", "bytes_per_s": 1e10, "flops_per_s": {}, "launch_us": 0.0}, "b": {}, "c": {}}


def test_without_a_site_nobody_is_told(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)

    assert calibration.tell_the_site(MADE, data_dir) == "no site here"


def test_a_device_that_is_not_there_is_3_with_the_reason(data_dir: Path) -> None:
    done = CliRunner().invoke(app, ["doctor", "--calibrate", "--device", "tpu", "--json"])

    assert done.exit_code == 3
    (row,) = json.loads(done.stdout)["calibrations"]
    assert row["calibration"] is None and "--device is cpu, cuda or cuda:N, not 'tpu'" in row["error"]


@pytest.mark.slow
def test_a_device_is_measured_in_a_process_of_its_own(data_dir: Path) -> None:
    need(installed_torch(), "torch")

    measured = calibration.calibrate("cpu", data_dir, seconds=0.01)

    assert measured.found is not None, measured.error
    assert store.load("cpu", data_dir / "calibration") == measured.found
    assert any("copy of" in line and "GB/s" in line for line in measured.lines())
    assert [finding.level for finding in calibration.stored(data_dir)] == ["ok"]

"""A calibration becomes the second set of ceilings while its environment lasts, and says why when it is none."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from evaluator.calibration import store
from evaluator.calibration.command import lines
from evaluator.calibration.record import VERSION, Calibration, Figure, ceilings, differences, facts, fingerprint
from evaluator.contract import dumps, from_json
from evaluator.devices import DEVICES

SNAPSHOT = {
    "device_name": "NVIDIA H100 80GB HBM3",
    "driver": "580.1",
    "torch": "2.13.0",
    "cores": 16,
    "os": "Linux",
    "gpu_uuid_hash": "3fa9",
}
NOW = fingerprint(SNAPSHOT)


def figure(median: float, on: str = "") -> Figure:
    return Figure(on, median, median * 0.98, median * 1.01, 20)


def calibration(**changes: object) -> Calibration:
    made = Calibration(
        device="h100",
        made_at="2026-11-21T12:00:00+00:00",
        seconds=21.5,
        fingerprint=NOW,
        bytes_per_s={"copy": (figure(2.9e12), figure(3.0e12, "copy of 1024 MiB")), "read": (figure(3.1e12, "read of 1024 MiB"),)},
        flops_per_s={"ieee_fp32": (figure(5.1e13), figure(5.0e13)), "fp16": (figure(7.2e14, "8192×8192×8192"),)},
        launch_us={"event": (figure(2.3),), "graph": (figure(1.1, "empty kernel, 200 in a graph"),)},
        absent={"fp8": "unavailable: compute capability 8.0 has no fp8 products; 8.9 has"},
        l2_bytes=52 * 1024 * 1024,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def test_the_fastest_of_each_kind_is_the_ceiling() -> None:
    found = ceilings(DEVICES["h100"], calibration(), NOW)

    measured = found.calibrated
    assert measured is not None
    assert (measured.dram_bytes_per_s, dict(measured.flops_per_s)) == (3.1e12, {"ieee_fp32": 5.1e13, "fp16": 7.2e14})
    assert (measured.launch_us, measured.l2_bytes) == (1.1, 52 * 1024 * 1024)
    assert (found.table, found.note) == (DEVICES["h100"], "measured 2026-11-21")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"driver": "590.0"}, "driver was 580.1, is 590.0"),
        ({"torch": "2.14.0", "gpu_uuid_hash": "beef"}, "gpu_uuid_hash was 3fa9, is beef; torch was 2.13.0, is 2.14.0"),
    ],
)
def test_another_environment_makes_it_stale_and_says_what_changed(changes: dict[str, str], said: str) -> None:
    found = ceilings(DEVICES["h100"], calibration(), {**NOW, **changes})

    assert found.calibrated is None
    assert said in found.note and "stale" in found.note and "kb doctor --calibrate" in found.note
    assert facts(found) == {"note": found.note}


@pytest.mark.parametrize("changes", [{"version": VERSION + 1}, {"device": "h200"}])
def test_figures_of_another_way_or_device_do_not_count(changes: dict[str, object]) -> None:
    assert ceilings(DEVICES["h100"], calibration(**changes), NOW).calibrated is None


def test_what_is_not_known_on_both_sides_says_nothing() -> None:
    assert differences({"driver": "580.1", "torch": "2.13.0"}, {"torch": "2.13.0", "cpu": "x"}) == []
    assert "os" not in NOW


def test_without_a_calibration_the_reason_is_the_note() -> None:
    assert ceilings(DEVICES["cpu"], "not calibrated: kb doctor --calibrate", {}).note == "not calibrated: kb doctor --calibrate"


def test_figures_that_are_no_rates_are_left_out() -> None:
    odd = calibration(bytes_per_s={"copy": (figure(0.0), figure(-1.0))}, flops_per_s={"fp16": (figure(float("inf")),)}, launch_us={})

    measured = ceilings(DEVICES["h100"], odd, NOW).calibrated

    assert measured is not None
    assert (measured.dram_bytes_per_s, dict(measured.flops_per_s), measured.launch_us) == (None, {}, 0.0)


def test_it_is_stored_whole_and_read_again(tmp_path: Path) -> None:
    name = store.name_of("h100", NOW, 0)

    path = store.save(calibration(), name, tmp_path / "new")

    assert path.name == "h100-3fa9.json"
    assert store.load(name, tmp_path / "new") == calibration()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert store.all_names(tmp_path / "new") == ["h100-3fa9"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"device": 3}', '{"device": "cpu"}', "[" * 10_000, '{"device": "' + "x" * 2**20 + '"}'])
def test_what_is_no_calibration_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "cpu.json").write_text(text)

    found = store.load("cpu", tmp_path)

    assert isinstance(found, str) and "is no calibration" in found


def test_where_nothing_was_measured_the_way_to_do_it_is_named(tmp_path: Path) -> None:
    assert store.load("cpu", tmp_path) == "not calibrated: kb doctor --calibrate"
    assert store.all_names(tmp_path / "none") == []


def test_names_are_file_names() -> None:
    assert store.name_of("cpu", {"cpu": "x"}, None) == "cpu"
    assert store.name_of("rtx-4090", {}, 1) == "rtx-4090-1"
    assert store.name_of("h100", {"gpu_uuid_hash": "../../x"}, 0) == "h100-------x"


def test_the_folder_is_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KB_CALIBRATION_DIR", raising=False)
    monkeypatch.setenv("KB_DATA_DIR", str(tmp_path))
    assert store.directory() == tmp_path / "calibration"

    monkeypatch.setenv("KB_CALIBRATION_DIR", str(tmp_path / "here"))
    assert store.directory() == tmp_path / "here"


def test_it_survives_json() -> None:
    assert from_json(Calibration, json.loads(dumps(calibration()))) == calibration()


def test_a_report_stands_beside_the_table_and_doubts_what_is_above_it() -> None:
    text = "\n".join(lines(calibration(bytes_per_s={"copy": (figure(3.9e12, "copy of 1024 MiB"),)}), DEVICES["h100"]))

    assert "copy       3900 GB/s [3822, 3939] on copy of 1024 MiB, 20 samples; the table says 3350: one of the two is wrong" in text
    assert "fp16       720 TFLOP/s [705.6, 727.2] on 8192×8192×8192, 20 samples; the table says 989.4\n" in text
    assert "graph      1.1 µs" in text
    assert "fp8        unavailable: compute capability 8.0 has no fp8 products; 8.9 has" in text

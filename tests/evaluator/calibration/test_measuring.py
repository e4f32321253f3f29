"""Trials: repeated within a budget, absent with the reason, and really run on this CPU at small sizes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from evaluator.calibration import cpu, cuda, store
from evaluator.calibration.calibrate import calibrate
from evaluator.calibration.record import Calibration
from evaluator.calibration.sampling import FEWEST, MOST, WARM_UPS, Sampler, Trial, UnavailableError, measure, repeated
from evaluator.cli import main
from evaluator.contract import from_json
from evaluator.sandbox.lock import LockBusy, device_lock

MIB = 1024 * 1024


class Clock:
    """Seconds that pass only when a sample is taken."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at

    def sampler(self, seconds: Callable[[int], float], work: float = 1e9) -> Sampler:
        taken = iter(range(10_000))

        def sample() -> float:
            took = seconds(next(taken))
            self.at += took
            return took

        return Sampler("copy of 1 GB", work, sample)


def trial(sampler: Sampler, group: str = "bytes", name: str = "copy") -> Trial:
    return Trial(group, name, lambda: sampler)  # type: ignore[arg-type]


def test_a_figure_is_the_median_of_what_was_done_a_second() -> None:
    clock = Clock()

    found = repeated(trial(clock.sampler(lambda number: 0.1 + 0.01 * (number % 5))), 10.0, clock)

    assert found.median == pytest.approx(1e9 / 0.12)
    assert found.low < found.median < found.high
    assert (found.on, found.n) == ("copy of 1 GB", MOST)


def test_a_launch_is_told_in_microseconds_for_one() -> None:
    clock = Clock()

    found = repeated(trial(clock.sampler(lambda _: 200e-6, work=100), "launch", "graph"), 1.0, clock)

    assert found.median == pytest.approx(2.0)


def test_a_slow_trial_has_the_fewest_samples() -> None:
    clock = Clock()

    found = repeated(trial(clock.sampler(lambda _: 5.0)), 0.3, clock)

    assert found.n == FEWEST
    assert clock.at == pytest.approx(5.0 * (FEWEST + WARM_UPS))


def test_what_cannot_be_measured_is_absent_with_the_reason() -> None:
    def refuse() -> Sampler:
        raise UnavailableError("compute capability 7.5 has no TF32")

    def fail() -> Sampler:
        raise RuntimeError("CUDA out of memory\nlong advice")

    found = measure([Trial("flops", "tf32", refuse), Trial("flops", "fp8", fail)], trial_s=1, total_s=1)

    assert found.absent == {
        "tf32": "unavailable: compute capability 7.5 has no TF32",
        "fp8": "unavailable: RuntimeError: CUDA out of memory",
    }


@pytest.mark.parametrize("fails", [0, 1])
def test_what_has_a_figure_at_one_size_is_not_absent(fails: int) -> None:
    def too_large() -> Sampler:
        raise RuntimeError("CUDA out of memory")

    trials = [trial(Clock().sampler(lambda _: 1.0))]
    trials.insert(fails, Trial("bytes", "copy", too_large))

    found = measure(trials, trial_s=0.1, total_s=10)

    assert len(found.figures["bytes"]["copy"]) == 1
    assert found.absent == {}


def test_a_clock_that_stands_still_gives_no_figure() -> None:
    found = measure([trial(Sampler("copy", 1e9, lambda: 0.0))], trial_s=1, total_s=1)

    assert "the clock gave 0 s" in found.absent["copy"] and not found.figures["bytes"]


def test_nothing_begins_once_the_time_is_spent() -> None:
    clock, freed = Clock(), []
    trials = [trial(clock.sampler(lambda _: 1.0), name=name) for name in ("copy", "read")]

    found = measure(trials, trial_s=1, total_s=3, now=clock, let_go=lambda: freed.append(1))

    assert list(found.figures["bytes"]) == ["copy"]
    assert "the 3 s for a calibration were spent" in found.absent["read"]
    assert len(freed) == 2


def test_streams_are_larger_than_caches_and_fit_into_memory() -> None:
    assert cpu.sizes(32 * MIB, 64 * 1024 * MIB).streams == (128 * MIB, 256 * MIB)
    assert cpu.sizes(256 * MIB, 64 * 1024 * MIB).streams == (1024 * MIB, 2048 * MIB)
    assert cpu.sizes(256 * MIB, 1024 * MIB).streams == (1024 * MIB // 12,)
    assert cuda.sizes(50 * MIB, 70_000 * MIB).streams == (1000 * MIB, 2000 * MIB, 4000 * MIB)
    assert cuda.sizes(126 * MIB, 70_000 * MIB).streams == (2520 * MIB, 5040 * MIB, 10080 * MIB)
    assert cuda.sizes(4 * MIB, 15_000 * MIB).streams == (256 * MIB, 512 * MIB, 1024 * MIB)
    assert cuda.sizes(50 * MIB, 600 * MIB).streams == (100 * MIB,)


@pytest.mark.parametrize(
    ("precision", "capability", "refused"),
    [
        ("tf32", (7, 5), True),
        ("tf32", (8, 0), False),
        ("fp8", (8, 0), True),
        ("fp8", (8, 9), False),
        ("fp8", (10, 0), False),
        ("ieee_fp32", (7, 0), False),
        ("fp16", (7, 5), False),
    ],
)
def test_products_that_a_gpu_has_no_cores_for_are_refused(precision: str, capability: tuple[int, int], refused: bool) -> None:
    assert bool(cuda.refused(precision, capability)) is refused


def test_caches_are_read_from_the_kernel(tmp_path: Path) -> None:
    for number, size in enumerate(["48K", "2048K", "96M", "nonsense"]):
        (tmp_path / f"index{number}").mkdir()
        (tmp_path / f"index{number}" / "size").write_text(f"{size}\n")

    assert cpu.largest_cache(tmp_path) == 96 * MIB
    assert cpu.largest_cache(tmp_path / "none") == 32 * MIB


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("KB_LOCK_DIR", str(tmp_path / "locks"))
    yield tmp_path / "locks"


def test_this_cpu_is_really_measured(locks: Path) -> None:
    cores, threads = os.sched_getaffinity(0), torch.get_num_threads()

    found = calibrate("cpu", total_s=0.5, cpu_sizes=cpu.Sizes((MIB,), (32, 64)))

    assert set(found.bytes_per_s) == {"copy", "read", "write", "triad"}
    assert found.bandwidth is not None and 1e8 < found.bandwidth < 1e13
    assert 1e7 < found.peaks["ieee_fp32"] < 1e13
    assert found.launch_floor_us is not None and 0.05 < found.launch_floor_us < 1000
    assert all(figure.low <= figure.median <= figure.high for figures in found.bytes_per_s.values() for figure in figures)
    assert found.absent["tf32"] == "unavailable: torch multiplies no tf32 on a CPU"
    assert {"cpu", "torch", "cores"} <= set(found.fingerprint)
    assert (os.sched_getaffinity(0), torch.get_num_threads()) == (cores, threads)


def test_nothing_is_measured_while_somebody_is_judged(locks: Path) -> None:
    with device_lock("cpu", purpose="judging relu"), pytest.raises(LockBusy, match="judging relu"):
        calibrate("cpu", wait_s=0.0)


def test_the_command_prints_and_keeps_it(locks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["calibrate", "--device", "cpu", "--seconds", "0.01", "--dir", str(tmp_path / "kept"), "--json"])

    printed = from_json(Calibration, json.loads(capsys.readouterr().out))
    assert status == 0
    assert store.load("cpu", tmp_path / "kept") == printed
    assert printed.device == "cpu" and "s for a calibration were spent" in printed.absent["int8"]


def test_a_folder_that_cannot_be_written_is_named(locks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")

    assert main(["calibrate", "--device", "cpu", "--seconds", "0.01", "--dir", str(tmp_path / "file")]) == 3
    assert "Name another with --dir" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--device", "tpu"], ["--device", "cuda:99"]])
def test_a_device_that_is_not_there_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", *arguments]) == 2
    assert "error:" in capsys.readouterr().err

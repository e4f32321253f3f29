"""`python -m evaluator calibrate`: measure what bounds this machine's device, print it, keep it for the judge."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from evaluator.calibration import store
from evaluator.calibration.record import Calibration, Figure
from evaluator.calibration.sampling import TOTAL_S
from evaluator.contract import dumps
from evaluator.devices import DeviceClass, device_class

MEASURED, OURS = 0, 3
MOST_S = 600.0
BEYOND = 1.05
"""A measured ceiling so far above the table's is told: one of the two is wrong."""
UNITS: dict[str, tuple[str, float]] = {"bytes_per_s": ("GB/s", 1e9), "flops_per_s": ("TFLOP/s", 1e12), "launch_us": ("µs", 1.0)}


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("calibrate", help="measure this machine's bandwidth, peaks and launch latency: the second set of ceilings")
    parser.add_argument("--device", default="", help="cpu, cuda or cuda:N; the first GPU when there is one, else cpu")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON and nothing else")
    parser.add_argument("--seconds", type=_seconds, default=TOTAL_S, help=f"begin nothing after so many; {TOTAL_S:g} when not given")
    parser.add_argument("--dir", type=Path, default=None, metavar="DIR", help=f"keep the figures here; {store.directory()} when not given")
    parser.set_defaults(do=run)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= MOST_S:
        raise argparse.ArgumentTypeError(f"a number above 0, at most {MOST_S:g}, not {text!r}")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Measure, keep, print. The exit code: 0, or 3 where this machine cannot."""
    from evaluator.cli import resolve_device
    from evaluator.sandbox.lock import LockBusy

    device, index = resolve_device(arguments.device)
    if index is not None:
        os.environ |= {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(index)}
    from evaluator.calibration.calibrate import calibrate

    folder = arguments.dir or store.directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = calibrate(device, index, total_s=arguments.seconds)
        kept = store.save(found, store.name_of(device, found.fingerprint, index), folder)
    except LockBusy as busy:
        print(f"infrastructure error: {busy}", file=sys.stderr)
        return OURS
    except OSError as error:
        print(f"infrastructure error: the figures cannot be kept in {folder}: {error}. Name another with --dir.", file=sys.stderr)
        return OURS
    if arguments.json:
        print(dumps(found))
        return MEASURED
    for line in lines(found, device_class(device)):
        print(line)
    print(f"kept in {kept}")
    return MEASURED


def lines(found: Calibration, table: DeviceClass) -> Iterator[str]:
    """The figures for a terminal, beside the table's where it has some."""
    yield f"{found.device}, {found.fingerprint.get('device_name', 'unknown')}, {found.made_at} ({found.seconds:.1f} s)"
    peaks: dict[str, float] = {str(name): peak for name, peak in table.flops_per_s.items()}
    groups: list[tuple[str, dict[str, tuple[Figure, ...]]]] = [
        ("bytes_per_s", found.bytes_per_s),
        ("flops_per_s", found.flops_per_s),
        ("launch_us", found.launch_us),
    ]
    for group, kinds in groups:
        for kind, figures in kinds.items():
            best = (min if group == "launch_us" else max)(figures, key=lambda figure: figure.median)
            listed = {"bytes_per_s": table.dram_bytes_per_s, "launch_us": None}.get(group, peaks.get(kind))
            yield _line(kind, best, *UNITS[group], listed)
    for name, why in found.absent.items():
        yield f"  {name:<10} {why}"


def _line(kind: str, best: Figure, unit: str, scale: float, listed: float | None) -> str:
    low, high = best.low / scale, best.high / scale
    text = f"  {kind:<10} {best.median / scale:.4g} {unit} [{low:.4g}, {high:.4g}] on {best.on}, {best.n} samples"
    if not listed:
        return text
    text += f"; the table says {listed / scale:.4g}"
    return f"{text}: one of the two is wrong" if best.median > BEYOND * listed else text

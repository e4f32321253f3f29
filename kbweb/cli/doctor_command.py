"""`kb doctor`: what this machine has, what is missing, and what to do about it."""

from __future__ import annotations

import typer

from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, Failure, console, print_json

MARKS = {"ok": "[green]ok  [/green]", "warn": "[yellow]warn[/yellow]", "fail": "[red]fail[/red]"}


def register(app: typer.Typer) -> None:
    @app.command()
    def doctor(
        sandbox: bool = typer.Option(True, help="Start a sandbox and try from inside what must not work (a few seconds)."),
        calibrate: bool = typer.Option(False, "--calibrate", help="Measure bandwidth, peaks and launches here, and do nothing else."),
        device: list[str] = typer.Option([], help="With --calibrate: cpu, cuda or cuda:N; every GPU, else the CPU, when not given."),
        as_json: AsJson = False,
    ) -> None:
        """Check this machine. Exit 0 when nothing fails, 3 when something does."""
        if calibrate:
            _calibrate(device, as_json=as_json)
        elif device:
            raise Failure("--device goes with --calibrate.", exit_code=2)
        from kbweb.cli.up_command import data_dir
        from kbweb.doctor import findings

        found = []
        for finding in findings(data_dir(), sandbox=sandbox):
            found.append(finding)
            if not as_json:
                console.print(f"{MARKS[finding.level]} {finding.name:<18} {plain(finding.said)}")
                if finding.todo:
                    console.print(f"{'':<24}[dim]→ {plain(finding.todo)}[/dim]")
        failed = any(finding.level == "fail" for finding in found)
        if as_json:
            rows = [{"level": f.level, "name": f.name, "said": f.said, "todo": f.todo} for f in found]
            print_json({"ok": not failed, "findings": rows})
        raise typer.Exit(3 if failed else 0)


def _calibrate(devices: list[str], *, as_json: bool) -> None:
    """Measure, show, tell the site. Ends the command: 0, or 3 where a device could not be measured."""
    from evaluator.contract import to_json
    from kbweb.cli.up_command import data_dir
    from kbweb.doctor import calibration

    found = []
    for device in devices or calibration.devices():
        if not as_json:
            console.print(f"measuring {plain(device)} …")
        measured = calibration.calibrate(device, data_dir())
        found.append(measured)
        told = calibration.tell_the_site(measured.found, data_dir()) if measured.found is not None else ""
        if not as_json:
            for line in filter(None, [*measured.lines(), told]):
                console.print(plain(line))
    failed = any(measured.found is None for measured in found)
    if as_json:
        rows = [{"device": each.device, "error": each.error, "calibration": to_json(each.found)} for each in found]
        print_json({"ok": not failed, "calibrations": rows})
    raise typer.Exit(3 if failed else 0)

"""`python -m kbweb.supervisor.baselines cpu h100:0 …`: measures baselines again that have become stale, while nobody waits for the device.

Under `kb up` one such process runs beside the workers, unless `KB_BASELINES=off`. It does nothing for what was never measured. It looks
every five minutes, and hands one op at a time to `kb baseline --stale-only`, so that who comes meanwhile waits for one op at most.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

import structlog

from kbweb import launch

LOOK_S = 300.0
AGAIN_S = 2.0
"""After one op the queue is looked at again before the next."""
PATIENCE = timedelta(days=1)
"""How soon an op is measured again that stays stale or unavailable."""
POLL_S = 0.5
END_S = 10.0
STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Post:
    """A device of this machine with a worker. `gpu_index` is NVML's, None for `cpu`."""

    device: str
    gpu_index: int | None = None

    @property
    def argument(self) -> str:
        return self.device if self.gpu_index is None else f"{self.device}:{self.gpu_index}"

    def command(self, op: str, names: Iterable[str]) -> list[str]:
        place = "cpu" if self.gpu_index is None else f"cuda:{self.gpu_index}"
        named = [word for name in names for word in ("--name", name)]
        return [sys.executable, "-m", "kbweb.cli", "baseline", op, "--stale-only", "--device", place, *named]


def post_of(argument: str) -> Post:
    """The inverse of `Post.argument`."""
    device, _, index = argument.partition(":")
    return Post(device, int(index) if index else None)


class Keeper:
    """Remembers what it measured, so that what stays stale is not measured over and over."""

    def __init__(self) -> None:
        self._measured_at: dict[tuple[str, str], float] = {}

    def next(self, device: str) -> tuple[str, tuple[str, ...]] | None:
        """An op and what of it to measure on a device now: None while anything waits or runs there, or another machine knows it better."""
        from evaluator.contract import State
        from kbweb.cli.measuring import commands_set
        from leaderboard.baselines import first_stale
        from submissions.models import Evaluation

        environment = _environment(device)
        if environment is None or Evaluation.objects.filter(device=device).exclude(state=State.DONE).exists():
            return None
        oldest = time.monotonic() - PATIENCE.total_seconds()
        lately = [op for (where, op), at in self._measured_at.items() if where == device and at > oldest]
        found = first_stale(device, environment=environment, commands=commands_set(), patience=PATIENCE, but=lately)
        if found is not None:
            self._measured_at[device, found[0]] = time.monotonic()
        return found


def _environment(device: str) -> dict[str, object] | None:
    """What the worker that started last for a device says of its machine, if that is this one: of several machines one measures."""
    from submissions.models import Worker

    newest = Worker.objects.filter(device=device).exclude(environment={}).order_by("-started_at").first()
    if newest is None or newest.host != socket.gethostname()[:60] or not Worker.objects.alive().filter(pk=newest.pk).exists():
        return None
    return dict(newest.environment)


def keep(posts: list[Post]) -> None:
    """Until a stop signal comes. The caller has blocked these."""
    from django.db import DatabaseError, connections

    keeper, pause_s = Keeper(), LOOK_S
    while signal.sigtimedwait(STOP, pause_s) is None:
        pause_s = LOOK_S
        for post in posts:
            try:
                found = keeper.next(post.device)
            except DatabaseError as error:
                log.warning("baselines_not_looked_at", device=post.device, error=str(error).strip().split("\n")[0])
                continue
            finally:
                connections.close_all()
            if found is None:
                continue
            log.info("baselines_measured_again", device=post.device, op=found[0], names=found[1])
            if not run_until_stopped(post.command(*found)):
                return
            pause_s = AGAIN_S


def run_until_stopped(command: list[str]) -> bool:
    """Run a command. False when a stop signal came first: then it was told to end, and killed if it did not."""
    process = subprocess.Popen(launch.command(command, on_parent_death=signal.SIGTERM), stdin=subprocess.DEVNULL)
    while process.poll() is None:
        if signal.sigtimedwait(STOP, POLL_S) is not None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_S)
            process.kill()
            process.wait()
            return False
    return True


def main() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
    import django

    django.setup()
    keep([post_of(argument) for argument in sys.argv[1:]])


if __name__ == "__main__":
    main()

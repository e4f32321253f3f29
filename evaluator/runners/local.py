"""Evaluations on this host: one long-lived judge process, which starts candidates and the baseline."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import typing
from collections.abc import Callable
from pathlib import Path

import evaluator
from evaluator.build import BuildReport
from evaluator.contract import EvaluationRequest, Event, Outcome, from_json, to_json
from evaluator.judge.service import MAX_FRAME_BYTES
from evaluator.protocol import Channel, ChannelClosed, ChannelTimeout, ProtocolError, pair
from evaluator.sandbox import Mode

START_S = 180.0
_POLL_S = 0.2
_SLACK_S = 900.0
_KEPT_VARIABLES = (
    "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_HOME", "VIRTUAL_ENV", "KB_LOCK_DIR", "KB_SANDBOX",
    "KB_CALIBRATION_DIR",
)  # fmt: skip


class RunnerError(RuntimeError):
    """Ours: the judge could not be started, died, or failed at something that is not the submission's fault."""


class OutOfServiceError(RunnerError):
    """The device failed its probe. Nothing can be judged on it until somebody has looked; the job belongs back in the queue."""


class DeviceBusyError(RunnerError):
    """Somebody else kept the device's lock for as long as a judge waits. Nothing was tried; the job belongs back in the queue."""


class LocalRunner:
    """Runs evaluations on `device`. The judge gets a clean environment: no database URL, no token. Not thread-safe."""

    def __init__(self, device: str, *, gpu_index: int | None = None, sandbox_mode: Mode = "best-effort") -> None:
        self.device = device
        self.out_of_service = ""
        """What the judge said of its device when that failed its probe after the last evaluation."""
        self._gpu_index = gpu_index
        self._sandbox_mode = sandbox_mode
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None

    def start(self) -> None:
        """Start the judge and wait until its spare is warm. Does nothing while one runs. Raises `RunnerError`."""
        if self._process is not None and self._process.poll() is None and self._channel is not None:
            return
        self.close()
        ours, theirs = pair()
        index = "-" if self.device == "cpu" else str(self._gpu_index or 0)
        with theirs:
            environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
            path = [str(Path(evaluator.__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
            environment |= {"PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, "-m", "evaluator.judge.service", str(theirs.fileno()), self.device, index, self._sandbox_mode]
            self._process = subprocess.Popen(
                command, env=environment, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, start_new_session=True
            )
        self._channel = Channel(ours, max_frame_bytes=MAX_FRAME_BYTES)
        self._receive(time.monotonic() + START_S)

    def run(
        self,
        request: EvaluationRequest,
        build: BuildReport | None = None,
        on_event: Callable[[Event], None] = lambda _event: None,
        cancelled: Callable[[], bool] = lambda: False,
        artefacts: Path | None = None,
    ) -> Outcome:
        """Judge one request. Raises `RunnerError`, after which the next call starts a new judge.

        What profilers leave goes into `artefacts`, a private folder of the caller's; `evaluator.profiling.artefacts.read` takes it out.
        """
        self.start()
        limits = request.limits
        deadline = time.monotonic() + limits.build_s + limits.import_s + limits.check_s + limits.timing_s + limits.profile_s + _SLACK_S
        folder = str(artefacts) if artefacts else None
        self._send({"cmd": "evaluate", "request": to_json(request), "build": to_json(build), "artefacts": folder})
        try:
            return self._outcome(deadline, on_event, cancelled)
        except RunnerError:
            raise
        except BaseException:
            self.close()  # else the rest of this evaluation would be read as the next one's
            raise

    def _outcome(self, deadline: float, on_event: Callable[[Event], None], cancelled: Callable[[], bool]) -> Outcome:
        told = False
        while True:
            message = self._receive(deadline, cancelled=None if told else cancelled)
            if message is None:
                self._send({"cmd": "cancel"})
                told = True
            elif "event" in message:
                on_event(from_json(Event, message["event"]))
            elif "outcome" in message:
                self.out_of_service = str(message.get("out_of_service") or "")
                return from_json(Outcome, message["outcome"])

    def facts(self) -> dict[str, typing.Any]:
        """{device_name, environment, sandbox} as JSON values. Raises `RunnerError`."""
        self.start()
        self._send({"cmd": "facts"})
        message = self._receive(time.monotonic() + START_S)
        return typing.cast("dict[str, typing.Any]", message["facts"]) if message else {}

    def close(self) -> None:
        """End the judge and all that it started. A judge whose channel closes kills its candidates."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None:
            try:
                self._process.wait(1.0)
            except subprocess.TimeoutExpired:
                self._process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(5.0)
                self._process.kill()
                self._process.wait()
            self._process = None

    def _send(self, message: dict[str, object]) -> None:
        assert self._channel is not None
        try:
            self._channel.send(message)
        except ChannelClosed as error:
            raise self._dead() from error

    def _receive(self, deadline: float, *, cancelled: Callable[[], bool] | None = None) -> dict[str, object] | None:
        """Next message; None when `cancelled` says so first. Raises `RunnerError` on a failure that the judge reports, or its end."""
        assert self._channel is not None
        try:
            while cancelled is not None and not self._channel.ready(_POLL_S):
                if cancelled():
                    return None
                if time.monotonic() > deadline:
                    raise ChannelTimeout
            message = self._channel.receive(deadline=deadline)
        except (ChannelClosed, ChannelTimeout, ProtocolError) as error:
            raise self._dead() from error
        if "failed" in message:
            if message.get("out_of_service"):
                raise OutOfServiceError(str(message["out_of_service"]))
            failed = str(message["failed"])
            if message.get("busy"):
                raise DeviceBusyError(failed)
            raise RunnerError(f"{failed}\n{message.get('detail', '')}")
        return message

    def _dead(self) -> RunnerError:
        process = self._process
        self.close()
        return RunnerError(f"the judge process ended or did not answer (status {process.returncode if process else None})")

"""Alice, Bob and Charlie, and what they hand in: real intake, real states, outcomes written as a worker writes them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from evaluator.contract import Outcome, State
from submissions import intake, states
from submissions.finish import conclude
from submissions.models import Evaluation, Submission, Worker

SOURCE = "import torch\n\n\ndef softmax_kernel_impl(x, dim):\n    return torch.softmax(x, dim)\n"


def person(name: str, **fields: object) -> User:
    return User.objects.create_user(name, f"{name}@example.org", "a long enough password", **fields)


def hand_in(author: User, **fields: object) -> Submission:
    sent = {"op": "softmax", "source": SOURCE.encode(), "device": "cpu", "kernel_type": "torch"} | fields
    return intake.submit(author, **sent)  # type: ignore[arg-type]


def evaluation_of(submission: Submission) -> Evaluation:
    return submission.evaluations.get()


def at_stage(evaluation: Evaluation, last: State) -> Evaluation:
    """Take an evaluation through its stages up to `last`."""
    for state in (State.BUILDING, State.WAITING, State.CHECKING, State.TIMING):
        states.move(evaluation, state, worker="device.cpu-1")
        if state is last:
            break
    return evaluation


def finish(evaluation: Evaluation, outcome: Outcome) -> Evaluation:
    """End an evaluation with an outcome, as a worker does; the board follows."""
    with transaction.atomic():
        return conclude(at_stage(evaluation, outcome.stage), outcome)


def worker(device: str = "cpu") -> Worker:
    return Worker.objects.create(
        name=f"device.{device}-1",
        queue=f"device.{device}",
        device=device,
        device_name="Some CPU",
        sandbox={"uid": "active", "landlock": {"status": "unavailable", "consequence": "the kernel has no Landlock"}},
    )


def builder() -> Worker:
    return Worker.objects.create(name="build-1", queue="build")

"""An evaluation in one line: what pictures, badges and previews of its page say. From its row alone, without the outcome."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.contract import Flag, State
from evaluator.devices import device_class
from submissions.models import Evaluation
from submissions.pages import words
from submissions.templatetags.measures import plus_minus, ratio


@dataclass(frozen=True, slots=True)
class Headline:
    """`tone` as in `words.Words`. `speedup` with its interval where it was timed and that counts for something, else None."""

    op: str
    device: str
    device_title: str
    author: str
    kernel_type: str
    title: str
    tone: str
    interpreted: bool = False
    speedup: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def figure(self) -> str:
        """`1.32×`, "" where there is none."""
        return "" if self.speedup is None else ratio(self.speedup)

    @property
    def error(self) -> str:
        return plus_minus(self.low, self.high)

    @property
    def said(self) -> str:
        """`softmax on NVIDIA H100: accepted, 1.32× torch eager (± 0.8 %), triton kernel by alice`."""
        timed = f", {self.figure} torch eager ({self.error})" if self.figure else ""
        interpreted = " in Triton's interpreter" if self.interpreted else ""
        return f"{self.op} on {self.device_title}: {self.title.lower()}{timed}{interpreted}, {self.kernel_type} kernel by {self.author}"


def headline(evaluation: Evaluation) -> Headline:
    """Needs the evaluation's submission and author at hand."""
    said = words.of(evaluation.verdict, evaluation.state)
    timed = evaluation.state == State.DONE and None not in (evaluation.speedup, evaluation.speedup_low, evaluation.speedup_high)
    return Headline(
        op=evaluation.op,
        device=evaluation.device,
        device_title=device_class(evaluation.device).title,
        author=evaluation.author.get_username(),
        kernel_type=evaluation.submission.kernel_type,
        title=said.title,
        tone=said.tone,
        interpreted=Flag.INTERPRETED in evaluation.flags,
        speedup=evaluation.speedup if timed else None,
        low=evaluation.speedup_low if timed else None,
        high=evaluation.speedup_high if timed else None,
    )

"""From an offered op to a document that can be judged by."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from evaluator.jsonable import JSON
from evaluator.ops.admission.examine import Dropped, Examined, Refused, examine
from evaluator.ops.admission.measure import measured
from evaluator.ops.admission.reading import input_bytes, read_whole
from evaluator.ops.admission.vary import variations
from evaluator.ops.recorded import Recorded, RecordedCase, document_of, read
from evaluator.ops.recorded.errors import DocumentError


@dataclass(frozen=True, slots=True)
class Admitted:
    """An op that can be judged by, and the cases of the offer that could not."""

    recorded: Recorded
    dropped: tuple[Dropped, ...]

    @property
    def document(self) -> dict[str, JSON]:
        return document_of(self.recorded)


def admit(offered: Recorded) -> Admitted:
    """Examine an op, measure its cases' least work, find sizes to vary. Raises `Refused`. Needs torch; computes on the CPU.

    `offered` needs no costs, no `variations`, and in `mutates` only what cannot be seen; all that is filled in here.
    """
    return finish(examine(offered))


def finish(examined: Examined) -> Admitted:
    """The second half of `admit`. Raises `Refused`."""
    recorded = examined.recorded
    op = recorded.op()
    checked = [each.case for each in recorded.cases if each.case.kind == "correctness" and each.devices == "all"]
    needed = read_whole(op, checked)
    cases: list[RecordedCase] = []
    for each in recorded.cases:
        written, flops = measured(op, each.case)
        cases.append(dataclasses.replace(each, input_bytes=input_bytes(each.case, needed), output_bytes=written, flops=flops))
    complete = dataclasses.replace(recorded, cases=tuple(cases), variations=variations(op, checked))
    try:
        read(document_of(complete))
    except DocumentError as error:
        raise Refused(f"its document is refused: {error}") from None
    return Admitted(complete, examined.dropped)

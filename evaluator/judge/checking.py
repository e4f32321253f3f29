"""Correctness of one case: fresh inputs, kept outputs, comparison with the fp64 oracle (ENGINE §3)."""

from __future__ import annotations

import secrets
import typing
from collections.abc import Sequence

from evaluator.contract import CaseResult, Reason, State, Verdict
from evaluator.correctness import Form, check_metadata, compare_outputs, expected_form, expected_meta, oracle, same_dtype
from evaluator.judge.alike import same_bytes
from evaluator.judge.answers import CallFailed, Returned, calls_of
from evaluator.judge.blocks import Block
from evaluator.judge.failures import Ended, verdict_of
from evaluator.judge.inputs import InputSet, Place, derive, places
from evaluator.judge.peer import Peer, PeerFailure
from evaluator.ops.definition import Case, Op

if typing.TYPE_CHECKING:
    import torch

CALLS_A_CASE = 2
MAX_SHIFT = 64
"""Places of a command start up to this many times 512 bytes later than they could, so that addresses differ from run to run."""


def shift() -> int:
    return 512 * secrets.randbelow(MAX_SHIFT)


def room(op: Op, case: Case, device: str, calls: int) -> int:
    """Bytes of shared memory that `calls` calls of a case need at most."""
    return places(op, case, expected_meta(op, case, device), calls, lambda: 512 * MAX_SHIFT)[-1].end


class Checker:
    """Checks cases of one op in one candidate. `device` is torch's."""

    def __init__(self, op: Op, candidate: Peer, block: Block, device: str) -> None:
        self.op = op
        self.candidate = candidate
        self.block = block
        self.device = device
        self.nondeterministic = False

    def check(self, case: Case, seed: int, *, timeout_s: float, repeat: bool, fresh_seed: bool = False) -> CaseResult:
        """Three seeds in two commands: two addresses with new data each, then the first address again with new data.

        `repeat` calls once more with the first inputs at the second address; different bits flag the kernel as nondeterministic.
        Raises `Ended` when the candidate is gone.
        """
        form = expected_form(self.op, case, self.device)
        seeds = [derive(seed, "check", case.name, n) for n in range(3)]
        sets = [InputSet(case, self.device, s) for s in seeds]
        where = places(self.op, case, form.outputs, CALLS_A_CASE, shift)
        commands = [[(sets[0], where[0]), (sets[1], where[1])], [(sets[2], where[0])]]
        if repeat:
            commands[1].append((sets[0], where[1]))
        first_bits: list[torch.Tensor] = []
        shown: CaseResult | None = None
        for command in commands:
            results = self._run(case, form, command, timeout_s)
            wrong = [result for result, _ in results if not result.passed]
            if wrong:
                # One buffer for two calls also makes the first of them wrong; the alias is what the author must know.
                aliased = (result for result in wrong if result.verdict is Verdict.ALIASED_OUTPUT)
                return self._named(next(aliased, wrong[0]), seed, fresh_seed)
            for inputs, (result, outputs) in zip((c[0] for c in command), results, strict=True):
                if inputs is sets[0] and first_bits and not self.op.random:
                    self.nondeterministic |= not _same_bits(first_bits, outputs)
                elif inputs is sets[0]:
                    first_bits = outputs
                if shown is None or (result.rel_l2 or 0.0) > (shown.rel_l2 or 0.0):
                    shown = result
        assert shown is not None
        return self._named(shown, seed, fresh_seed)

    def _run(
        self, case: Case, form: Form, command: Sequence[tuple[InputSet, Place]], timeout_s: float
    ) -> list[tuple[CaseResult, list[torch.Tensor]]]:
        for inputs, place in command:
            place.write(self.block, inputs)
        message = {"cmd": "call", "calls": [place.describe("main") for _, place in command]}
        try:
            answers = calls_of(self.candidate.command(message, timeout_s=timeout_s), len(command))
        except PeerFailure as failure:
            raise Ended(*verdict_of(failure, f"checking case {case.name}"), State.CHECKING) from failure
        return [self._judge(case, form, inputs, place, answer) for (inputs, place), answer in zip(command, answers, strict=True)]

    def _judge(
        self, case: Case, form: Form, inputs: InputSet, place: Place, answer: CallFailed | Returned
    ) -> tuple[CaseResult, list[torch.Tensor]]:
        outputs = [view.clone() for view in place.read(self.block)]
        changed = place.changed_input(self.block, inputs)
        if isinstance(answer, CallFailed):
            return _failed(case, answer.verdict, answer.reason.message, answer.reason.detail), outputs
        if unlike := _unlike(self.op, case, form, answer):
            return _failed(case, *unlike), outputs
        if changed is not None:
            return _failed(
                case, Verdict.INPUT_MUTATED, f"input {changed} was changed by the call; this op must leave its inputs alone"
            ), outputs
        return compared(self.op, case, inputs, outputs), outputs

    def _named(self, result: CaseResult, seed: int, fresh_seed: bool) -> CaseResult:
        import dataclasses

        if result.hidden or fresh_seed:
            return result
        command = f"python -m evaluator run FILE --op {self.op.slug} --mode test --case {result.name} --seed {seed}"
        return dataclasses.replace(result, seed=seed, reproduce=command)


def compared(op: Op, case: Case, inputs: InputSet, outputs: Sequence[torch.Tensor]) -> CaseResult:
    """The result of one call whose outputs have the right form."""
    args, kwargs = inputs.arguments()
    found = compare_outputs(op, case, expected=oracle(op, args, kwargs), torch_same_dtype=same_dtype(op, args, kwargs), got=outputs)
    return CaseResult(
        name=case.name,
        kind=case.kind,
        passed=found.passed,
        inputs="hidden" if case.hidden else case.describe(),
        hidden=case.hidden,
        verdict=found.verdict,
        reason=found.reason if not case.hidden else _hide(found.reason),
        max_abs=found.max_abs,
        max_rel=found.max_rel,
        rel_l2=found.rel_l2,
        rel_l2_torch=found.rel_l2_torch,
        tolerance=found.tolerance,
        mismatch_share=None if case.hidden else found.mismatch_share,
        mismatches=() if case.hidden else found.mismatches,
    )


def first_reason(result: CaseResult) -> Reason:
    """The evaluation's reason for a failed case."""
    hints = {
        Verdict.WRONG_RESULT: "Compare with the reference on the shown elements; the case's command reproduces it on your machine.",
        Verdict.WRONG_SHAPE: "Return a tensor of the reference's shape.",
        Verdict.WRONG_DTYPE: "Return the dtype that torch would return for these inputs.",
        Verdict.WRONG_DEVICE: "Allocate the output on the input's device.",
        Verdict.WRONG_STRIDES: "Return a contiguous tensor, for example by allocating it with torch.empty.",
        Verdict.ALIASED_OUTPUT: "Allocate a new output in every call.",
        Verdict.INPUT_MUTATED: "Write to a new tensor, not to an argument.",
    }
    message, _, detail = result.reason.partition("\n")
    hint = hints.get(result.verdict, "") if result.verdict else ""
    return Reason(str(result.verdict), f"case {result.name}: {message}", detail, hint)


def _unlike(op: Op, case: Case, form: Form, answer: Returned) -> tuple[Verdict, str] | None:
    """What is wrong with the form of what the call returned."""
    if op.in_place and form.structure == "-":
        return None  # the op writes to its arguments; whatever it returns besides is not looked at
    if answer.wrong_type:
        expected = "torch.Tensor" if len(form.outputs) == 1 else f"a tuple of {len(form.outputs)} torch.Tensor"
        return Verdict.RUNTIME_ERROR, f"the call returned {answer.wrong_type}, expected {expected}"
    if answer.sparse:
        return Verdict.WRONG_STRIDES, f"the call returned a tensor of layout {answer.sparse}, expected strided"
    unlike = check_metadata(op, case, form.outputs, answer.metas)
    if unlike is None and answer.structure != form.structure:
        return Verdict.WRONG_SHAPE, f"the call returned {_words(answer.structure)}, expected {_words(form.structure)}"
    if unlike is None and answer.alias and not op.may_alias:
        return Verdict.ALIASED_OUTPUT, f"an output shares its memory with {answer.alias}"
    return unlike


def _words(structure: str) -> str:
    """A structure as Python would show it, with `Tensor` and `None`."""
    return structure.replace("T", "Tensor").replace("-", "None")


def _failed(case: Case, verdict: Verdict, reason: str, detail: str = "") -> CaseResult:
    return CaseResult(
        name=case.name,
        kind=case.kind,
        passed=False,
        inputs="hidden" if case.hidden else case.describe(),
        hidden=case.hidden,
        verdict=verdict,
        reason=_hide(reason) if case.hidden else f"{reason}\n{detail}".rstrip(),
    )


def _hide(reason: str) -> str:
    """A hidden case says that it failed, not on what."""
    return (
        "failed on a hidden shape; shapes are drawn anew for each evaluation, so look at sizes that no power of two divides"
        if reason
        else ""
    )


def _same_bits(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> bool:
    return all(same_bytes(x.reshape(-1), y.reshape(-1)) for x, y in zip(a, b, strict=True))

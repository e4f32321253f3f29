"""Correctness of one case: fresh inputs, kept outputs, comparison with the fp64 oracle (ENGINE §3)."""

from __future__ import annotations

import dataclasses
import secrets
import typing
from collections.abc import Sequence

from evaluator.contract import CaseResult, Policy, State, Verdict
from evaluator.correctness import Form, check_metadata, expected_meta
from evaluator.judge import guards, repeats
from evaluator.judge.alike import same_bytes
from evaluator.judge.answers import CallFailed, Returned, calls_of
from evaluator.judge.blocks import Block
from evaluator.judge.comparing import OUT_OF_BOUNDS, Comparer, failed, spent
from evaluator.judge.failures import Ended, verdict_of
from evaluator.judge.inputs import InputSet, Place, derive, places
from evaluator.judge.peer import Peer, PeerFailure
from evaluator.ops.definition import Case, Op

if typing.TYPE_CHECKING:
    import torch

CALLS_A_CASE = 2
LONGEST_STRUCTURE = 400
"""Characters of a returned structure that are shown."""
AS_TUPLES = str.maketrans("[]", "()")
"""Several outputs may stand in a tuple or in a list."""
MAX_SHIFT = 64
"""Places of a command start up to this many times 512 bytes later than they could, so that addresses differ from run to run."""


def shift() -> int:
    return 512 * secrets.randbelow(MAX_SHIFT)


def room(op: Op, case: Case, device: str, calls: int) -> int:
    """Bytes of shared memory that `calls` calls of a case need at most."""
    return places(op, case, expected_meta(op, case, device), calls, lambda: 512 * MAX_SHIFT)[-1].end


class Checker:
    """Checks cases of one op in one candidate. `device` is torch's."""

    def __init__(self, op: Op, candidate: Peer, block: Block, device: str, comparer: Comparer | None = None) -> None:
        self.op = op
        self.candidate = candidate
        self.block = block
        self.device = device
        self.comparer = comparer or Comparer(op, device)
        self.given = self.comparer.given
        self.nondeterministic = False

    def check(self, case: Case, seed: int, *, timeout_s: float, repeat: bool, fresh_seed: bool = False) -> CaseResult:
        """Three seeds in two commands: two addresses with new data each, then the first address again with new data.

        `repeat` calls once more with the first inputs at the second address; different bits flag the kernel as nondeterministic. A random
        op is always called so, and again at the first address: there, equal bits are wrong.
        Raises `Ended` when the candidate is gone, `InfrastructureError` when a rule of the op fails.
        """
        form = self.given.form(case)
        seeds = [derive(seed, "check", case.name, n) for n in range(3)]
        sets = [self.given.inputs(case, s) for s in seeds]
        where = places(self.op, case, form.outputs, CALLS_A_CASE, shift)
        commands = [[(sets[0], where[0]), (sets[1], where[1])], [(sets[2], where[0])]]
        if repeat or self.op.random:
            commands[1].append((sets[0], where[1]))
        if self.op.random:
            commands.append([(sets[0], where[0])])
        same_inputs: list[list[torch.Tensor]] = []
        found: list[CaseResult] = []
        for command in commands:
            results = self._run(case, form, command, timeout_s)
            if wrong := _first_wrong(results):
                return self._named(wrong, seed, fresh_seed)
            same_inputs += [outputs for (inputs, _), (_, outputs) in zip(command, results, strict=True) if inputs is sets[0]]
            found += [result for result, _ in results]
        if self.op.random:
            again = [(sets[0], place) for place in where]
            if wrong := self._drawn_again(case, form, same_inputs, again, timeout_s):
                return self._named(wrong, seed, fresh_seed)
        else:
            self.nondeterministic |= any(not _same_bits(same_inputs[0], outputs) for outputs in same_inputs[1:])
        return self._named(_worst(found), seed, fresh_seed)

    def _drawn_again(
        self, case: Case, form: Form, draws: list[list[torch.Tensor]], again: Sequence[tuple[InputSet, Place]], timeout_s: float
    ) -> CaseResult | None:
        """What is wrong with outputs of a random op for the same inputs; `again` are more such calls, for when two are alike."""
        numbers = repeats.suspicious(draws)
        while numbers and len(draws) < repeats.DRAWS:
            results = self._run(case, form, again, timeout_s)
            if wrong := _first_wrong(results):
                return wrong
            draws += [outputs for _, outputs in results]
        number = repeats.repeated(self.op, again[0][0], draws, numbers) if numbers else None
        if number is None:
            return None
        return failed(case, Verdict.WRONG_RESULT, f"output {number}: the same random numbers twice, in calls with the same inputs")

    def _run(
        self, case: Case, form: Form, command: Sequence[tuple[InputSet, Place]], timeout_s: float
    ) -> list[tuple[CaseResult, list[torch.Tensor]]]:
        for inputs, place in command:
            place.write(self.block, inputs)
            guards.poison(place.guards, self.block)
        self._await_writes()
        message = {"cmd": "call", "calls": [place.describe("main") for _, place in command]}
        try:
            answers = calls_of(self.candidate.command(message, timeout_s=timeout_s), len(command))
        except PeerFailure as failure:
            raise Ended(*verdict_of(failure, f"checking case {case.name}"), State.CHECKING) from failure
        return [self._judge(case, form, inputs, place, answer) for (inputs, place), answer in zip(command, answers, strict=True)]

    def _await_writes(self) -> None:
        """On a GPU writing only asks for it, and nothing orders the work of two processes: the kernel might read what was there before."""
        if self.device == "cuda":
            import torch

            torch.cuda.synchronize()

    def _judge(
        self, case: Case, form: Form, inputs: InputSet, place: Place, answer: CallFailed | Returned
    ) -> tuple[CaseResult, list[torch.Tensor]]:
        outputs = [view.clone() for view in place.read(self.block)]
        changed, between = place.changed_input(self.block, inputs), place.written_between(self.block, inputs)
        if isinstance(answer, CallFailed):
            return failed(case, answer.verdict, answer.reason.message, answer.reason.detail), outputs
        if damage := guards.damage(place.guards, self.block):
            # A device that guards single bytes would have stopped the call here.
            return failed(case, Verdict.RUNTIME_ERROR, f"the call wrote {damage}", code=OUT_OF_BOUNDS), outputs
        if between is not None:
            words = f"the call wrote between the elements of input {between}, whose strides leave gaps"
            return failed(case, Verdict.RUNTIME_ERROR, words, code=OUT_OF_BOUNDS), outputs
        if unlike := _unlike(self.op, case, form, answer):
            return failed(case, *unlike), outputs
        if changed is not None:
            words = f"input {changed} was changed by the call; this op must leave its inputs alone"
            return failed(case, Verdict.INPUT_MUTATED, words), outputs
        return self.comparer.compare(case, inputs, outputs), outputs

    def _named(self, result: CaseResult, seed: int, fresh_seed: bool) -> CaseResult:
        if result.hidden or fresh_seed:
            return result
        command = f"python -m evaluator run FILE --op {self.op.slug} --mode test --case {result.name} --seed {seed}"
        if self.comparer.policy is not Policy.SCALED:
            command += f" --policy {self.comparer.policy}"
        if self.op.document is not None:
            command += " --ops-file OPS.json"
        return dataclasses.replace(result, seed=seed, reproduce=command)


def _first_wrong(results: Sequence[tuple[CaseResult, list[torch.Tensor]]]) -> CaseResult | None:
    """One buffer for two calls also makes the first of them wrong; the alias is what the author must know."""
    wrong = [result for result, _ in results if not result.passed]
    aliased = (result for result in wrong if result.verdict is Verdict.ALIASED_OUTPUT)
    return next(aliased, wrong[0]) if wrong else None


def _worst(results: Sequence[CaseResult]) -> CaseResult:
    """Of calls that passed, the one that spends most of its tolerance, with the largest bias of all."""
    shown = max(results, key=spent)
    return dataclasses.replace(shown, bias=max((result.bias for result in results if result.bias is not None), default=None))


def _unlike(op: Op, case: Case, form: Form, answer: Returned) -> tuple[Verdict, str] | None:
    """What is wrong with the form of what the call returned."""
    if op.in_place and form.structure == "-":
        return None  # the op writes to its arguments; whatever it returns besides is not looked at
    got, wanted = (structure.translate(AS_TUPLES) for structure in (answer.structure, form.structure))
    if wrong_type := answer.wrong_type or _no_tensor(answer.structure, wanted):
        expected = "torch.Tensor" if len(form.outputs) == 1 else f"a tuple of {len(form.outputs)} torch.Tensor"
        return Verdict.RUNTIME_ERROR, f"the call returned {wrong_type}, expected {expected}"
    if answer.sparse:
        return Verdict.WRONG_STRIDES, f"the call returned a tensor of layout {answer.sparse}, expected strided"
    unlike = check_metadata(op, case, form.outputs, answer.metas)
    if unlike is None and got != wanted:
        return Verdict.WRONG_SHAPE, f"the call returned {_words(got)}, expected {_words(wanted)}"
    if unlike is None and answer.alias and not op.may_alias:
        return Verdict.ALIASED_OUTPUT, f"an output shares its memory with {answer.alias}"
    return unlike


def _no_tensor(structure: str, wanted: str) -> str:
    """The type of a returned None or list where the op gives a tensor; "" for what may hold the outputs."""
    if structure == "-" and wanted != "-":
        return "NoneType"
    return "list" if structure.startswith("[") and wanted == "T" else ""


def _words(structure: str) -> str:
    """A structure as Python would show it, with `Tensor` and `None`; a long one, of which a candidate may say anything, is cut."""
    shown = structure if len(structure) <= LONGEST_STRUCTURE else f"{structure[:LONGEST_STRUCTURE]}…"
    return shown.replace("T", "Tensor").replace("-", "None")


def _same_bits(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> bool:
    return all(same_bytes(x.reshape(-1), y.reshape(-1)) for x, y in zip(a, b, strict=True))

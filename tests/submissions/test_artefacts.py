"""Files of profilers in the database: with the outcome or not at all, within each author's room, gone with the evaluation."""

from __future__ import annotations

import dataclasses
import hashlib
import random

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User

from evaluator.contract import ArtefactKind, Outcome, State
from evaluator.profiles import MAX_ARTEFACT_BYTES, ArtefactNote
from evaluator.profiling.artefacts import Artefact as File
from submissions.artefacts import contents, keep_artefacts
from submissions.claim import claim
from submissions.finish import finish
from submissions.models import Artefact, Evaluation
from submissions.states import Fenced
from tests.submissions.conftest import HandIn


def file(name: str = "kernel-0.ptx", data: bytes = b"ret;\n", kind: ArtefactKind = ArtefactKind.PTX) -> File:
    return File(ArtefactNote(name, kind, len(data), hashlib.sha256(data).hexdigest()), data)


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


@pytest.fixture
def running(alice: User, hand_in: HandIn) -> Evaluation:
    hand_in(alice, state=State.WAITING, mode="profile")
    run = claim("device.cpu", "w1")
    assert run is not None
    return run


def test_stored_with_the_outcome(running: Evaluation, accepted: Outcome) -> None:
    trace = file("trace.json.gz", noise(1000), ArtefactKind.CHROME_TRACE)

    finish(running.pk, accepted, attempt=1, worker="w1", worker_s=1.0, artefacts=[file(), trace])

    ptx, gz = running.artefacts.all()
    assert (ptx.name, ptx.kind, ptx.size_bytes, contents(ptx)) == ("kernel-0.ptx", "ptx", 5, b"ret;\n")
    assert (contents(gz), gz.sha256) == (trace.data, trace.note.sha256)


def test_a_worker_that_lost_its_lease_stores_nothing(running: Evaluation, accepted: Outcome) -> None:
    with pytest.raises(Fenced):
        finish(running.pk, accepted, attempt=2, worker="w1", worker_s=1.0, artefacts=[file()])

    assert not Artefact.objects.exists()


def test_a_name_stands_once(running: Evaluation, accepted: Outcome) -> None:
    with pytest.raises(Exception, match="one_artefact_per_name"):
        finish(running.pk, accepted, attempt=1, worker="w1", worker_s=1.0, artefacts=[file(), file()])


def test_gone_with_the_evaluation(running: Evaluation) -> None:
    keep_artefacts(running, [file()])

    running.delete()

    assert not Artefact.objects.exists()


def test_the_oldest_of_an_author_make_room_and_nobody_elses(alice: User, bob: User, hand_in: HandIn, settings: LazySettings) -> None:
    settings.KB_ARTEFACT_BYTES_PER_AUTHOR = 10_000
    other = hand_in(bob)
    first, second, third = (hand_in(alice) for _ in range(3))
    keep_artefacts(other, [file("b", noise(5000))])
    keep_artefacts(first, [file("a", noise(2000)), file("b", noise(2001))])
    keep_artefacts(second, [file("c", noise(4000))])

    keep_artefacts(third, [file("d", noise(3000))])

    kept = {(row.evaluation_id, row.name) for row in Artefact.objects.all()}
    assert kept == {(other.pk, "b"), (second.pk, "c"), (third.pk, "d")}


def test_bytes_that_would_unpack_to_more_than_was_ever_stored(running: Evaluation) -> None:
    large = dataclasses.replace(file(), data=bytes(MAX_ARTEFACT_BYTES + 1))
    keep_artefacts(running, [large])

    with pytest.raises(ValueError, match="more than"):
        contents(running.artefacts.get())

"""A profile on the result page, its files as downloads, and who may have either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from pygments.lexer import RegexLexer
from pygments.lexers import PythonLexer
from pygments.token import Text

from evaluator.contract import Mode, State
from evaluator.profiling.artefacts import Artefact as File
from submissions import states
from submissions.finish import conclude
from submissions.intake_errors import IntakeError
from submissions.limits import quota
from submissions.models import Artefact, Evaluation, Submission
from submissions.pages.profile import LISTED_CHARACTERS, LISTED_LINES, measured
from submissions.profile_run import ask_for_profile
from tests.pages.cast import at_stage, evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.markup import faults
from tests.pages.outcomes import accepted, wrong_result
from tests.pages.profiles import HOSTILE, PTX, artefacts, profiled

NAMES = ["softmax_kernel-abababab.ptx", "softmax_kernel-abababab.sass", "trace.json.gz"]


def with_profile(author: User, files: Sequence[File] = (), **fields: object) -> Submission:
    submission = hand_in(author, mode="profile", **fields)
    evaluation = at_stage(evaluation_of(submission), State.TIMING)
    with transaction.atomic():
        states.move(evaluation, State.PROFILING)
        conclude(evaluation, profiled(), files or artefacts())
    return submission


def page(client: Client, submission: Submission, query: str = "") -> str:
    return client.get(f"/s/{submission.pk}/{query}").content.decode()


def test_every_tool_says_what_it_found_or_why_not(client: Client, alice: User) -> None:
    shown = page(client, with_profile(alice))

    for said in (
        "Nsight Systems</dt>",
        "nsys is not installed",
        "compute throughput",
        "42.5 %",
        "1.21 TB/s",
        "aten::softmax",
        "900 µJ",
        "softmax_kernel-abababab.sass",
        "2.00 KiB",
    ):
        assert said in shown, said
    assert HOSTILE not in shown
    assert "&lt;script&gt;" in shown


def test_the_page_is_sound(client: Client, alice: User) -> None:
    assert faults(page(client, with_profile(alice))) == []


def test_machine_code_has_line_numbers_of_its_own(client: Client, alice: User) -> None:
    shown = page(client, with_profile(alice))

    assert 'id="code0-L1"' in shown
    assert 'id="code1-L2"' in shown
    assert shown.count('id="L1"') == 1
    assert f'id="code0-L{LISTED_LINES}"' in shown
    assert f'id="code0-L{LISTED_LINES + 1}"' not in shown
    assert f"{len(PTX.splitlines()) - LISTED_LINES} lines more" in shown


def test_machine_code_is_shown_and_never_lexed(client: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lexers for machine code take minutes for one line of slashes, and whoever opens the page would wait for it."""
    line = "/" * LISTED_CHARACTERS
    submission = with_profile(alice, artefacts(line.encode()))
    monkeypatch.setattr(RegexLexer, "get_tokens_unprocessed", only_python)

    assert line in page(client, submission)


def only_python(lexer: RegexLexer, text: str, *_: object) -> Iterator[tuple[int, object, str]]:
    assert isinstance(lexer, PythonLexer), f"{lexer.name} was asked to lex {text[:40]!r}"
    assert "/" * 100 not in text
    yield 0, Text, text


def test_the_sandbox_of_nsight_compute_and_what_was_left_out_are_told(client: Client, alice: User) -> None:
    shown = page(client, with_profile(alice))

    assert "in a sandbox of its own" in shown
    assert "left out: ncu.ncu-rep: more than 8 MiB; ncu.csv: its last 7 metrics" in shown
    assert 'cgroup <span class="badge tone-warn">unavailable</span> <span class="muted">not allowed here</span>' in shown


@pytest.mark.parametrize("name", NAMES)
def test_a_download_is_never_shown_in_place(client: Client, alice: User, name: str) -> None:
    submission = with_profile(alice)
    evaluation = evaluation_of(submission)
    data = {artefact.note.name: artefact.data for artefact in artefacts()}[name]

    for path in (f"/s/{submission.pk}/artefacts/{name}", f"/api/v1/evaluations/{evaluation.pk}/artefacts/{name}"):
        answer = client.get(path)

        assert answer.status_code == 200, path
        assert answer.content == data
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{evaluation.pk}-{name}"'
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Type"] == ("application/gzip" if name.endswith(".gz") else "text/plain; charset=utf-8")


def test_artefacts_are_listed(client: Client, alice: User) -> None:
    evaluation = evaluation_of(with_profile(alice))

    listed = client.get(f"/api/v1/evaluations/{evaluation.pk}/artefacts/").json()

    assert listed["evaluation"] == evaluation.pk
    assert [row["name"] for row in listed["artefacts"]] == NAMES
    assert client.get(listed["artefacts"][0]["url"]).content == PTX.encode()


@pytest.mark.parametrize("visibility", ["result", "private"])
def test_a_profile_follows_the_source(alice: User, charlie: User, as_bob: Client, visibility: str) -> None:
    submission = with_profile(alice, visibility=visibility)
    evaluation = evaluation_of(submission)
    seen = {"result": 200, "private": 404}[visibility]
    refused = {"result": 403, "private": 404}[visibility]
    secret = ["softmax_kernel", "aten::softmax", "code0-L1", "compute throughput"]

    shown = as_bob.get(f"/s/{submission.pk}/")
    document = as_bob.get(f"/api/v1/evaluations/{evaluation.pk}")

    assert (shown.status_code, document.status_code) == (seen, seen)
    for text in (shown.content.decode(), document.content.decode()):
        assert not [word for word in secret if word in text.replace("softmax_kernel_impl", "")]
    if visibility == "result":
        assert document.json()["outcome"]["profile"] is None
    assert as_bob.get(f"/s/{submission.pk}/artefacts/{NAMES[0]}").status_code == 404
    assert as_bob.get(f"/api/v1/evaluations/{evaluation.pk}/artefacts").status_code == refused
    assert as_bob.get(f"/api/v1/evaluations/{evaluation.pk}/artefacts/{NAMES[0]}").status_code == refused
    for allowed in (signed_in(alice), signed_in(charlie)):
        assert "compute throughput" in page(allowed, submission)
        assert allowed.get(f"/s/{submission.pk}/artefacts/{NAMES[0]}").status_code == 200
        assert allowed.get(f"/api/v1/evaluations/{evaluation.pk}/artefacts/{NAMES[0]}").status_code == 200


@pytest.mark.parametrize("name", ["absent.ptx", "..%2f..%2fetc%2fpasswd", "softmax_kernel-abababab"])
def test_what_there_is_not(client: Client, alice: User, name: str) -> None:
    submission = with_profile(alice)

    assert client.get(f"/s/{submission.pk}/artefacts/{name}").status_code == 404
    assert client.get(f"/api/v1/evaluations/{evaluation_of(submission).pk}/artefacts/{name}").status_code == 404
    assert client.get(f"/s/{submission.pk}/artefacts/{NAMES[0]}?evaluation=other").status_code == 404


def test_files_that_made_room_are_missed_in_words(client: Client, alice: User) -> None:
    submission = with_profile(alice)
    Artefact.objects.all().delete()

    shown = page(client, submission)

    assert "removed to make room" in shown
    assert "compute throughput" in shown


def test_its_author_asks_for_a_profile_once(as_alice: Client, alice: User) -> None:
    submission = hand_in(alice)
    evaluation = finish(evaluation_of(submission), accepted())
    assert "Profile this" in page(as_alice, submission)

    first = as_alice.post(f"/evaluations/{evaluation.pk}/profile/")
    again = as_alice.post(f"/evaluations/{evaluation.pk}/profile/")

    made = submission.evaluations.get(mode=Mode.PROFILE)
    assert first.headers["Location"] == again.headers["Location"] == f"/s/{submission.pk}/?evaluation={made.pk}"
    assert (made.state, made.device, made.policy, made.seed) == ("queued", evaluation.device, evaluation.policy, None)
    assert "Profile this" not in page(as_alice, submission)


def test_nobody_else_is_offered_or_given_one(client: Client, as_bob: Client, alice: User) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), accepted())

    assert "Profile this" not in page(as_bob, evaluation.submission)
    assert [who.post(f"/evaluations/{evaluation.pk}/profile/").status_code for who in (client, as_bob)] == [404, 404]
    assert not Evaluation.objects.filter(mode=Mode.PROFILE).exists()


def test_what_is_wrong_is_neither_offered_nor_profiled(as_alice: Client, alice: User) -> None:
    submission = hand_in(alice)
    evaluation = finish(evaluation_of(submission), wrong_result())

    answer = as_alice.post(f"/evaluations/{evaluation.pk}/profile/", follow=True)

    assert "Profile this" not in page(as_alice, submission)
    assert "Only a result that is done and right can be profiled" in answer.content.decode()
    assert not Evaluation.objects.filter(mode=Mode.PROFILE).exists()


def test_what_is_not_done_and_what_is_a_profile_are_not_profiled(alice: User) -> None:
    waiting, profiled_once = evaluation_of(hand_in(alice)), evaluation_of(with_profile(alice))

    for evaluation in (waiting, profiled_once):
        with pytest.raises(IntakeError, match="done and right"):
            ask_for_profile(alice, evaluation.pk)


def test_a_moderator_who_asks_waits_for_the_author_and_the_author_for_them(alice: User, charlie: User) -> None:
    """Two clicks at once make one profile: whoever asks holds the author's lock."""
    evaluation = finish(evaluation_of(hand_in(alice)), accepted())

    first = ask_for_profile(charlie, evaluation.pk)

    with connection.cursor() as cursor:
        cursor.execute("SELECT objid::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        held = {person for (person,) in cursor.fetchall()}
    assert alice.pk in held
    assert charlie.pk not in held
    assert (ask_for_profile(alice, evaluation.pk).pk, first.purpose) == (first.pk, "house")


def test_a_profile_counts_in_the_quota(as_alice: Client, alice: User, settings: LazySettings) -> None:
    evaluation = finish(evaluation_of(hand_in(alice)), accepted())
    settings.KB_OPEN_EVALUATIONS = 0
    assert quota().open_evaluations == 0

    answer = as_alice.post(f"/evaluations/{evaluation.pk}/profile/", follow=True)

    assert "may be open at once" in answer.content.decode()
    assert not Evaluation.objects.filter(mode=Mode.PROFILE).exists()


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (85.21, "%", "85.2 %"),
        (12.3e-6, "second", "12.3 µs"),
        (1.21e12, "byte/second", "1.21 TB/s"),
        (2048, "byte", "2.05 kB"),
        (1.78e9, "hz", "1.78 GHz"),
        (40, "register/thread", "40 register/thread"),
        (0.0, "byte", "0 B"),
        (0.5, "", "0.500"),
        (0.0009, "joule", "900 µJ"),
        (0.25, "joule", "250 mJ"),
        (3.0, "joule", "3.00 J"),
    ],
)
def test_figures_in_units_that_suit(value: float, unit: str, shown: str) -> None:
    assert measured(value, unit) == shown

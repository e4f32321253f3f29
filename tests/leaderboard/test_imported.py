"""Imported ops: kept as data, shown, handed in for, and judged by what the row says."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.contract import EvaluationRequest, from_json, to_json
from evaluator.jsonable import JSON
from evaluator.ops.recorded import DocumentError
from evaluator.ops.registry import UnknownOp, get
from leaderboard import catalogue, imported
from leaderboard.models import Op, OpDocument
from submissions import known_ops
from submissions.intake import IntakeError, submit
from submissions.request import request_of
from tests.evaluator.recorded.offers import softmax_document

SLUG = "mine/softmax.int"
pytestmark = pytest.mark.django_db


@pytest.fixture
def author() -> User:
    return User.objects.create_user("alice")


def document(**changed: JSON) -> dict[str, JSON]:
    return softmax_document() | changed


def untimed() -> dict[str, JSON]:
    """Without performance cases."""
    cases = document()["cases"]
    assert isinstance(cases, list)
    return document(cases=[case for case in cases if isinstance(case, dict) and case["kind"] == "correctness"])


class TestStore:
    def test_an_import_adds_then_changes_nothing_then_updates(self) -> None:
        first = imported.store([document()], "backendbench")
        again = imported.store([document()], "backendbench")
        changed = imported.store([document(title="Another")], "backendbench")

        assert (first.added, again.unchanged, changed.updated) == ((SLUG,), (SLUG,), (SLUG,))
        row = Op.objects.select_related("given").get(pk=SLUG)
        assert (row.title, row.suites, row.active) == ("Another", ["mine"], True)
        assert row.given.document == document(title="Another")
        assert row.definition["reference"] == (
            "def reference(self, dim, dtype=None):\n    return torch.ops.aten.softmax.int(self, dim, dtype)\n"
        )

    def test_floats_that_json_lacks_survive_the_database(self) -> None:
        cases = document()["cases"]
        assert isinstance(cases, list)
        assert isinstance(cases[0], dict)
        cases[0]["args"] = [{"tensor": {"shape": [8, 33], "dtype": "float32"}}, {"float": "-inf"}, {"float": "1e+16"}, {"float": "-0.0"}]

        imported.store([document(cases=cases)], "backendbench")

        (case, *_) = known_ops.find(SLUG).cases("cpu")
        assert [repr(value) for value in case.args[1:]] == ["-inf", "1e+16", "-0.0"]
        assert Op.objects.get(pk=SLUG).definition["cases"]["cpu"][0]["args"][1] == "-inf"

    def test_loading_the_catalogue_leaves_imported_ops_alone(self) -> None:
        imported.store([document()], "backendbench")

        assert catalogue.load().deactivated == ()
        assert Op.objects.active().filter(pk=SLUG).exists()

    def test_a_name_of_the_catalogue_is_refused_and_won_by_it(self) -> None:
        assert imported.store([document(slug="relu")], "backendbench").refused == ("relu",)
        assert not OpDocument.objects.exists()

        imported.store([document()], "backendbench")
        OpDocument.objects.update(op_id=_row("relu").pk)
        catalogue.load()
        assert not OpDocument.objects.exists(), "an op that the evaluator has got since is its own"

    def test_a_wrong_document_changes_nothing(self) -> None:
        with pytest.raises(DocumentError, match="target"):
            imported.store([document(), document(slug="mine/other", target="os.system")], "backendbench")

        assert not Op.objects.exists()

    def test_a_removed_suite_comes_back_with_the_next_import(self) -> None:
        imported.store([document(), document(slug="mine/other")], "backendbench")

        assert imported.remove("mine") == ("mine/other", SLUG)
        assert imported.remove("mine") == ()
        assert imported.remove("core") == ()
        assert not Op.objects.active().exists()

        assert imported.store([document()], "backendbench").updated == (SLUG,)
        assert list(Op.objects.active().values_list("pk", flat=True)) == [SLUG]


class TestKnownOps:
    def test_ops_are_found_wherever_they_come_from(self) -> None:
        imported.store([document()], "backendbench")

        assert known_ops.find("relu") is get("relu")
        assert known_ops.find(SLUG).entry_point == "softmax__int_kernel_impl"
        assert known_ops.definition_of("relu") is None
        assert known_ops.definition_of(SLUG) == document()
        assert known_ops.all_offered()[-1] == known_ops.Offered(SLUG, "Softmax along a dimension", "softmax__int_kernel_impl")
        with pytest.raises(UnknownOp, match=r"Did you mean mine/softmax.int"):
            known_ops.find("mine/softmax")
        with pytest.raises(UnknownOp):
            known_ops.find("mine\0")

    def test_a_removed_op_is_known_and_not_offered(self) -> None:
        imported.store([document()], "backendbench")
        imported.remove("mine")

        assert known_ops.is_known(SLUG)
        assert known_ops.definition_of(SLUG) == document()
        assert SLUG not in {offer.slug for offer in known_ops.all_offered()}
        with pytest.raises(UnknownOp):
            known_ops.find(SLUG)
        assert not known_ops.is_known("mine/nothing")


class TestHandIn:
    def test_the_evaluator_is_told_the_op(self, author: User) -> None:
        imported.store([document()], "backendbench")

        submission = submit(author, op=SLUG, source=b"def softmax__int_kernel_impl(x, dim): ...\n", device="cpu", kernel_type="torch")

        request = request_of(submission.evaluations.get())
        assert request.definition == document()
        assert from_json(EvaluationRequest, json.loads(json.dumps(to_json(request)))) == request

    def test_the_registry_s_ops_travel_by_name(self, author: User) -> None:
        submission = submit(author, op="relu", source=b"def relu_kernel_impl(x): ...\n", device="cpu", kernel_type="torch")

        assert request_of(submission.evaluations.get()).definition is None

    def test_nothing_is_taken_for_a_removed_op_and_what_waits_is_still_judged(self, author: User) -> None:
        imported.store([document()], "backendbench")
        sent = {"op": SLUG, "device": "cpu", "kernel_type": "torch"}
        waiting = submit(author, source=b"x = 1\n", **sent).evaluations.get()  # type: ignore[arg-type]
        imported.remove("mine")

        with pytest.raises(IntakeError) as refused:
            submit(author, source=b"x = 2\n", **sent)  # type: ignore[arg-type]

        assert refused.value.errors["op"][0].startswith(f"There is no op {SLUG!r}.")
        assert request_of(waiting).definition == document()

    def test_an_op_that_is_never_timed_is_not_ranked(self, author: User) -> None:
        imported.store([untimed()], "opinfo")
        sent = {"op": SLUG, "source": b"def softmax__int_kernel_impl(x, dim): ...\n", "device": ["cpu", "h100"], "kernel_type": "torch"}

        with pytest.raises(IntakeError) as refused:
            submit(author, mode="ranked", **sent)  # type: ignore[arg-type]
        waiting = [submit(author, mode=mode, **sent) for mode in ("test", "benchmark")]  # type: ignore[arg-type]

        assert refused.value.errors == {
            "mode": [
                f"{SLUG} has no performance case for {device}, so it is checked and not timed: hand it in with mode test."
                for device in ("cpu", "h100")
            ]
        }
        assert [submission.evaluations.count() for submission in waiting] == [2, 2]


class TestPages:
    @pytest.fixture(autouse=True)
    def _stored(self) -> None:
        catalogue.load()
        imported.store([document()], "backendbench")

    def test_the_op_is_listed_and_shown(self, client: Client) -> None:
        assert SLUG in client.get("/ops/?suite=mine").content.decode()

        page = unescape(re.sub(r"<[^>]+>", "", client.get(f"/ops/{SLUG}/?device=cpu").content.decode()))
        for text in (
            "return torch.ops.aten.softmax.int(self, dim, dtype)",
            "def softmax__int_kernel_impl(self, dim, dtype=None):",
            "float32[8, 33], -1",
            "--ops-file op.json",
            "aten.softmax.int",
        ):
            assert text in page
        assert "--ops-file" not in client.get("/ops/relu/").content.decode()

    def test_board_and_starter_have_addresses(self, client: Client) -> None:
        assert client.get(f"/ops/{SLUG}/cpu/").status_code == 200
        assert b"def softmax__int_kernel_impl" in client.get(f"/ops/{SLUG}/starters/torch.py").content

    def test_an_op_that_is_never_timed_has_pages_too(self, client: Client) -> None:
        imported.store([untimed()], "opinfo")

        page = client.get(f"/ops/{SLUG}/?device=cpu").content.decode()

        assert "None on this device" in page
        assert client.get(f"/ops/{SLUG}/cpu/").status_code == 200

    def test_the_form_offers_it(self, client: Client) -> None:
        page = client.get(f"/submit/?op={SLUG}&starter=torch").content.decode()

        assert f'<option value="{SLUG}" selected data-entry="softmax__int_kernel_impl">' in page
        assert "torch.ops.aten.softmax.int(self, dim, dtype)" in page

    def test_the_api_gives_what_the_command_line_takes(self, client: Client) -> None:
        assert client.get(f"/api/v1/ops/{SLUG}").json()["document"] == document()
        assert client.get("/api/v1/ops/relu").json()["document"] is None


def _row(slug: str) -> Op:
    return Op.objects.create(slug=slug, title=slug, signature="")

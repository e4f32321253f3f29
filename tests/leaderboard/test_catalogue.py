"""The evaluator's registry as rows."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from evaluator.devices import DEVICES
from evaluator.ops import registry
from leaderboard import catalogue
from leaderboard.models import Device, Op
from tests.leaderboard.conftest import Finish

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.django_db


def test_every_op_and_device_becomes_a_row() -> None:
    loaded = catalogue.load()

    assert set(Op.objects.values_list("pk", flat=True)) == {op.slug for op in registry.all_ops()}
    assert list(Device.objects.values_list("pk", flat=True)) == list(DEVICES)
    assert (loaded.ops, loaded.devices, loaded.deactivated) == (Op.objects.count(), len(DEVICES), ())


def test_loading_twice_changes_nothing() -> None:
    catalogue.load()
    before = [list(model.objects.values()) for model in (Op, Device)]

    catalogue.load()

    assert [list(model.objects.values()) for model in (Op, Device)] == before


def test_an_op_that_left_is_deactivated_and_comes_back() -> None:
    catalogue.load()
    kept = [op for op in registry.all_ops() if op.slug != "relu"]

    assert catalogue.load(kept).deactivated == ("relu",)
    assert not Op.objects.active().filter(pk="relu").exists()

    catalogue.load()
    assert Op.objects.active().filter(pk="relu").exists()


def test_a_changed_op_is_updated() -> None:
    changed = dataclasses.replace(registry.get("relu"), title="Rectified", tags=("new",))

    catalogue.load([changed])

    assert Op.objects.values_list("title", "tags").get(pk="relu") == ("Rectified", ["new"])


def test_a_device_outside_the_table_stays_while_entries_stand_on_it(finish: Finish, alice: User) -> None:
    finish(alice, device="l40s")
    Device.objects.create(slug="old", title="Old")

    assert catalogue.load().deactivated == ("old",)
    assert Device.objects.get(pk="l40s").active


def test_a_definition_holds_what_an_author_needs() -> None:
    catalogue.load()

    definition = Op.objects.get(pk="softmax").definition

    assert definition["entry_point"] == "softmax_kernel_impl"
    assert definition["reference"].startswith("def softmax_reference(")
    assert {"torch", "triton"} <= set(definition["starters"])
    assert definition["tolerance"] == {"float32": 1e-5, "float16": 1e-3, "bfloat16": 5e-3}
    (case,) = (case for case in definition["cases"]["h100"] if case["name"] == "4096x4096")
    assert case["args"] == [{"shape": [4096, 4096], "dtype": "float32", "generator": "normal", "strides": None}, -1]
    assert case["bytes"] == 2 * 4096 * 4096 * 4
    assert case["flops"] > 0


def test_no_hidden_case_is_listed() -> None:
    catalogue.load()

    names = {op.slug: {case.name for case in registry.get(op.slug).cases("cpu") if case.hidden} for op in Op.objects.all()}

    for op in Op.objects.all():
        assert not names[op.slug] & {case["name"] for case in op.definition["cases"]["cpu"]}


def test_the_command_says_what_it_did() -> None:
    out = StringIO()
    call_command("load_catalogue", stdout=out)

    assert out.getvalue() == f"{len(registry.all_ops())} ops, {len(DEVICES)} devices\n"


def test_loading_needs_no_torch() -> None:
    script = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'triton', 'numpy')))\n"
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'kbweb.settings'\n"
        "import django; django.setup()\n"
        "from leaderboard import catalogue; from evaluator.ops import registry\n"
        "print(len([catalogue.definition_json(op) for op in registry.all_ops()]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(registry.all_ops())


def test_a_definition_says_what_an_op_writes_to_and_how_ties_are_judged() -> None:
    catalogue.load()

    step, chosen, copied = (Op.objects.get(pk=slug).definition for slug in ("adamw_step", "topk", "transpose_copy"))

    assert step["writes_to"][0] == "param" and "grad" not in step["writes_to"]
    assert "ties may fall either way" in chosen["rules"]["1"]
    assert copied["compare"] == "exact"
    assert all(len(definition["description"]) > 100 for definition in (step, chosen, copied))

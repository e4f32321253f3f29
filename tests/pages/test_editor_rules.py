"""The editor's hints are the server's rules: what they refuse, it refuses in the same words, and no more."""

from __future__ import annotations

import dataclasses
import json
import re
from itertools import product

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluator.build import detect
from evaluator.contract import Mode, Policy, Timer
from evaluator.devices import DEVICES
from evaluator.ops.untimed import why_untimed
from submissions.intake_errors import IntakeError
from submissions.pages.editor_rules import editor_rules, op_refusals
from submissions.pages.filled import op_of
from tests.pages.cast import SOURCE, hand_in

RULES = json.loads(json.dumps(editor_rules()))


def hinted(**values: object) -> dict[str, list[str]]:
    """What the script in the browser makes of `refusals`."""
    given = {name: str(value) for name, value in values.items() if value is not None}
    found: dict[str, list[str]] = {}
    for rule in RULES["refusals"]:
        if all(name in given and wanted in (None, given[name]) for name, wanted in rule["when"].items()):
            found.setdefault(rule["field"], []).append(rule["says"])
    return found


@pytest.mark.parametrize("mode", Mode)
def test_terms_are_refused_as_intake_refuses_them(alice: User, mode: Mode) -> None:
    different = {}
    for policy, timer, device, seed in product(Policy, Timer, ("cpu", "h100"), (None, 7)):
        terms = {"mode": mode, "policy": policy, "timer": timer, "device": device, "seed": seed}
        try:
            hand_in(alice, **terms)
            said: dict[str, list[str]] = {}
        except IntakeError as error:
            said = error.errors
        if said != hinted(**terms):
            different[str(terms)] = (said, hinted(**terms))

    assert not different


def test_an_op_that_cannot_be_timed_is_told() -> None:
    op = op_of("softmax")
    assert op is not None
    assert op_refusals(op) == []

    untimed = dataclasses.replace(op, cases=op.correctness_cases)

    assert op_refusals(untimed) == [
        {"field": "mode", "says": f"{why_untimed(untimed, device)}.", "when": {"mode": "ranked", "device": device}} for device in DEVICES
    ]


@pytest.mark.parametrize(
    "source",
    [
        "",
        SOURCE,
        "import triton\n",
        "  @triton.jit\ndef k(): pass\n",
        "# no triton\n",
        "import tritonic\n",
        "x = load_inline(cuda_sources=[''])\n",
        '#include <cuda.h>\nextern "C" __global__ void f(float* x) {}\n',
        "import torch\n__global__ = 1\n",
        "import helion\n",
        "a\u2028import triton\n",
    ],
)
def test_the_first_sign_names_the_type(source: str) -> None:
    shown = next(
        sign for sign in RULES["signs"] if re.search(sign["pattern"], source) and not (sign["unless"] and re.search(sign["unless"], source))
    )

    assert shown["type"] == detect(source)


def test_a_type_that_cannot_be_built_is_refused_in_intakes_words(alice: User) -> None:
    source = "import helion\n"
    shown = next(sign for sign in RULES["signs"] if sign["type"] == "helion")

    with pytest.raises(IntakeError) as refused:
        hand_in(alice, source=source.encode(), kernel_type=None)

    assert refused.value.errors == {"kernel_type": [shown["refused"]]}


def test_the_page_carries_them(client: Client) -> None:
    page = client.get("/submit/").content.decode()

    assert 'data-rules="{&quot;most_bytes&quot;: 1048576' in page

"""Which sources count as the same kernel."""

from __future__ import annotations

import importlib
import time

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from evaluator.contract import KernelType
from submissions.hashes import normalised_sha256
from submissions.models import Submission
from tests.submissions.conftest import HandIn

SOURCE = """import torch


def softmax_kernel_impl(x, dim=-1):
    text = '''a

  # no comment
'''
    return torch.softmax(x, dim)
"""


def same(one: str, other: str, kind: KernelType = KernelType.TRITON) -> bool:
    return normalised_sha256(one, kind) == normalised_sha256(other, kind)


@pytest.mark.parametrize(
    "other",
    [
        SOURCE.replace("\n", "\r\n"),
        SOURCE.replace("import torch\n", "import torch  \n\n   \n"),
        SOURCE.replace("import torch\n", "# mine\nimport torch  # always\n"),
        SOURCE + "# the end, without a newline",
        SOURCE.replace("dim=-1):\n", "dim=-1):\n# at the wrong indent\n"),
    ],
    ids=["line endings", "blank lines", "comments", "last line", "indent"],
)
def test_what_changes_nothing_makes_no_new_source(other: str) -> None:
    assert other != SOURCE
    assert same(SOURCE, other)


@pytest.mark.parametrize(
    "other",
    [
        SOURCE.replace("  # no comment", "  # another"),
        SOURCE.replace("a\n\n  #", "a\n  #"),
        SOURCE.replace("'''a\n", "'''a  \n"),
        SOURCE.replace("dim)\n", "dim) + 0\n"),
        "# -*- coding: utf-7 -*-\n" + SOURCE,
    ],
    ids=["comment in a string", "blank line in a string", "spaces in a string", "code", "encoding"],
)
def test_what_may_change_something_does(other: str) -> None:
    assert not same(SOURCE, other)


def test_a_hash_in_an_f_string_is_no_comment_by_any_version_of_python() -> None:
    source = 'x = f"""{1}#a\n\n# b"""  # c\n'

    assert not same(source, source.replace("#a", "#d"))
    assert not same(source, source.replace("# b", "# d"))
    assert same(source, source.replace("# c", "# d"))


def test_in_other_languages_comments_of_python_stay() -> None:
    source = "#include <cuda.h>\n__global__ void f() {}\n"

    assert not same(source, source.replace("cuda", "other"), KernelType.CUDA)
    assert same(source, source.replace("h>\n", "h>   \n\n"), KernelType.CUDA)


@pytest.mark.parametrize("broken", ["def f(:\n    x = (  # one\n", "if x:\n    y = 1\n  z = 2  # one\n"])
def test_what_is_no_python_is_compared_as_it_stands(broken: str) -> None:
    assert not same(broken, broken.replace("one", "two"))
    assert same(broken, broken.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    "endless",
    ["x = '" + r"\'" * 500_000, ("x = '" + r"\'" * 990 + "\n") * 100, "x = '" + "''\n" + ("'" + r"\'" * 99_000 + "\n") * 2],
    ids=["one line", "many lines", "in one string"],
)
def test_a_source_that_keeps_tokenizers_busy_is_compared_as_it_stands(endless: str) -> None:
    begun = time.thread_time()

    assert not same(endless + "#1", endless + "#2")
    assert time.thread_time() - begun < 2


@pytest.mark.django_db
def test_stored_hashes_follow_the_rule(hand_in: HandIn, alice: User) -> None:
    migration = importlib.import_module("submissions.migrations.0008_sources_without_comments")
    kept, old = hand_in(alice).submission, hand_in(alice).submission
    Submission.objects.filter(pk=old.pk).update(normalised_sha256="of an older rule")

    migration.compute_again(apps, None)

    found = {row.pk: (row.normalised_sha256, row.source) for row in Submission.objects.all()}
    assert found == {row.pk: (row.normalised_sha256, row.source) for row in (kept, old)}

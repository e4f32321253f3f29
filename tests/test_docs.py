"""What keeps the documents true: words, dependencies and files that they name exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from evaluator.contract import Flag, KernelType, Mode, Policy, State, Verdict

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def named_in_code(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize("words", [Verdict, State, Flag, Mode, KernelType, Policy], ids=lambda words: words.__name__)
def test_the_glossary_has_every_word_of_the_contract(words: type[Verdict | State | Flag | Mode | KernelType | Policy]) -> None:
    glossary = named_in_code((DOCS / "glossary.md").read_text())

    assert not {word.value for word in words} - glossary


def test_every_dependency_has_its_decision() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lists = [
        project["project"]["dependencies"],
        *project["project"].get("optional-dependencies", {}).values(),
        *project["dependency-groups"].values(),
    ]
    wanted = {re.split(r"[^\w.-]", dependency)[0].lower() for group in lists for dependency in group if isinstance(dependency, str)}

    assert not wanted - named_in_code((DOCS / "decisions.md").read_text())


@pytest.mark.parametrize("page", ["architecture.md", "decisions.md", "glossary.md", "recorded-ops.md"])
def test_files_that_a_page_names_exist(page: str) -> None:
    named = re.findall(r"\b((?:evaluator|submissions|leaderboard|kbweb|tests)/[\w/]+(?:\.py|\b))", (DOCS / page).read_text())

    assert named
    assert not [path for path in named if not (ROOT / path).exists()]

"""What keeps the documents true: words, dependencies and files that they name exist."""

from __future__ import annotations

import dataclasses
import enum
import re
import tomllib
from pathlib import Path

import pytest

from evaluator.contract import (
    ArtefactKind,
    CaseResult,
    CaseTiming,
    Flag,
    KernelType,
    Mismatch,
    Mode,
    Outcome,
    Policy,
    Profiler,
    Reason,
    SampleStats,
    State,
    TimingSummary,
    Verdict,
)

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def named_in_code(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize(
    "words", [Verdict, State, Flag, Mode, KernelType, Policy, Profiler, ArtefactKind], ids=lambda words: words.__name__
)
def test_the_glossary_has_every_word_of_the_contract(words: type[enum.StrEnum]) -> None:
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


@pytest.mark.parametrize(
    "page",
    [
        *("architecture.md", "decisions.md", "glossary.md", "recorded-ops.md", "baselines.md", "profiles.md"),
        *("formats.md", "webhooks.md", "moderation.md", "competitions.md"),
    ],
)
def test_files_that_a_page_names_exist(page: str) -> None:
    named = re.findall(r"\b((?:evaluator|submissions|leaderboard|kbweb|tests)/[\w/]+(?:\.py|\b))", (DOCS / page).read_text())

    assert named
    assert not [path for path in named if not (ROOT / path).exists()]


@pytest.mark.parametrize(
    "kind", [Outcome, CaseResult, CaseTiming, TimingSummary, SampleStats, Mismatch, Reason], ids=lambda kind: kind.__name__
)
def test_the_formats_page_names_every_member_of_an_outcome(kind: type) -> None:
    named = named_in_code((DOCS / "formats.md").read_text())

    assert not {field.name for field in dataclasses.fields(kind)} - named


def test_the_formats_page_names_every_kind_of_event_and_every_close_code() -> None:
    told = named_in_code((DOCS / "formats.md").read_text())
    sources = {path: path.read_text() for app in ("submissions", "leaderboard") for path in (ROOT / app).rglob("*.py")}
    calls = re.compile(r"append\(\s*(?:events\.)?(?:\w+_stream\([^\n]*?\)|FEED),\s*\"(\w+)\"")
    appended = {kind for text in sources.values() for kind in calls.findall(text)}
    of_the_judge = set(re.findall(r"Event\(\"(\w+)\"", "".join(path.read_text() for path in (ROOT / "evaluator").rglob("*.py"))))
    spoken = set(re.findall(r'"kind": "(\w+)"', sources[ROOT / "submissions" / "live" / "consumers.py"]))
    codes = {code for text in sources.values() for code in re.findall(r"^[A-Z_]+ = (44\d\d)$", text, re.MULTILINE)}

    assert {"state", "submitted", "decision", "entry", "baseline"} <= appended and "case" in of_the_judge and "beat" in spoken and codes
    assert not (appended | (of_the_judge - {"stage"}) | spoken) - told
    assert not [code for code in codes if f"| {code} |" not in (DOCS / "formats.md").read_text()]

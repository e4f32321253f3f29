"""Which documents there are, in the order in which they are offered, and where each one stands on the site."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.urls import Resolver404, resolve, reverse

from kbweb.docs.markdown import Addresses, DocError, Rendered, render

FOLDER = Path(settings.BASE_DIR) / "docs"
LOCAL_URL = "http://127.0.0.1:8000"
"""How documents name the site. Its own pages show the address that it really has."""


@dataclass(frozen=True, slots=True)
class Doc:
    """One file of `docs/`. In lists `label` is its name, and `says` what it is about."""

    name: str
    label: str
    says: str

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.md"

    @property
    def address(self) -> str:
        return reverse("rules") if self.name == "rules" else reverse("doc", args=[self.name])

    @property
    def source_address(self) -> str:
        return reverse("doc-source", args=[self.name])

    def text(self) -> str:
        """The Markdown, with the site's own address in it."""
        return _text(self.path, self.path.stat().st_mtime_ns, settings.SITE_URL)

    def rendered(self) -> Rendered:
        """The page; rendered once for each version of the file."""
        return _rendered(self.text())


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    docs: tuple[Doc, ...]


SHELF = (
    Group(
        "How it works",
        (
            Doc(
                "judging",
                "How judging works",
                "From the upload to the verdict: processes, inputs, what is right, what happens when it is not.",
            ),
            Doc(
                "timing",
                "How timing works",
                "Quads beside torch, three methods, two clocks, error bars, and all that is looked at meanwhile.",
            ),
            Doc("run-it-yourself", "Run it yourself", "The same judge on your own machine: what to install, what to match, what differs."),
            Doc("rules", "Rules", "Ranks, ties, records, epochs, fair play, bots."),
            Doc("competitions", "Competitions", "Groups, invitations, boards for a while, and when sources open."),
            Doc("moderation", "Moderation", "What is held for review, who decides on it by which evidence, and what a decision does."),
            Doc("speed-of-light", "Speed of light", "How near the limit of its device a kernel came, and which times are not believed."),
            Doc("profiles", "Profiles", "Where the time of a kernel goes: torch's profiler, Nsight Compute, PTX and SASS, energy."),
            Doc("baselines", "Baselines", "torch eager, torch.compile and compilers of yours as marked rows of the boards."),
            Doc("glossary", "Words", "Every word that pages and API use: states, verdicts, flags, figures."),
        ),
    ),
    Group(
        "For bots and tools",
        (
            Doc("api-guide", "API guide", "Hand in, follow, read results and boards: examples to copy that tests run."),
            Doc("webhooks", "Webhooks", "An address of yours is told of results, reviews, decisions and lost records."),
            Doc("accounts", "Accounts and tokens", "Scopes of tokens, sign-in by GitHub, mail, export and deletion."),
            Doc("formats", "Formats", "Submissions, outcomes, events, errors, tables."),
            Doc("recorded-ops", "Ops as data", "Ops as JSON documents, operator traces, imports from other suites."),
        ),
    ),
    Group(
        "Behind it",
        (
            Doc("architecture", "Architecture", "The way of a kernel through processes and tables, and what happens when one is lost."),
            Doc("decisions", "Decisions", "What was chosen, why, and how to leave it; every dependency."),
            Doc("measurements", "Measurements", "How well the timing works, on which machine, by which command."),
            Doc("proof-gpu", "Proof of the catalogue, GPU", "Each op's cases against kernels that are wrong on purpose, on an H100."),
            Doc("proof-cpu", "Proof of the catalogue, CPU", "The same on a CPU."),
        ),
    ),
)
DOCS = {doc.name: doc for group in SHELF for doc in group.docs}


def address_of_link(target: str) -> str:
    """Where a link of a document leads. Other documents are named by their files, so that links also work where the files are read."""
    if target.startswith(("https://", "http://", "#")):
        return target
    name, hash_sign, anchor = target.partition("#")
    if not name.endswith(".md") or name.removesuffix(".md") not in DOCS:
        raise DocError(f"the link to {target!r} leads to no document of docs/")
    return DOCS[name.removesuffix(".md")].address + hash_sign + anchor


def address_of_code(text: str) -> str | None:
    """`timing.md` and `/status/` are links to what they name."""
    if text.endswith(".md") and text.removesuffix(".md") in DOCS:
        return DOCS[text.removesuffix(".md")].address
    if not text.startswith("/"):
        return None
    try:
        found = resolve(text)
    except Resolver404:
        return None
    return text if text.endswith(("/", ".txt")) and not found.kwargs and found.url_name else None


@functools.lru_cache(maxsize=64)
def _text(path: Path, version: int, site_url: str) -> str:
    return path.read_text().replace(LOCAL_URL, site_url)


@functools.lru_cache(maxsize=64)
def _rendered(text: str) -> Rendered:
    return render(text, Addresses(address_of_link, address_of_code))

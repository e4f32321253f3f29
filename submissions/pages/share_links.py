"""Where the picture and the badges of a public result are, and the Markdown that shows them elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from submissions.models import Evaluation
from submissions.pages.headline import Headline


@dataclass(frozen=True, slots=True)
class BadgeLink:
    """`name` is part of an id on the page; `said` replaces the picture where none is shown."""

    name: str
    title: str
    path: str
    said: str
    markdown: str


@dataclass(frozen=True, slots=True)
class ShareLinks:
    """`page` and `card` with the site's address, as other sites want them; `card_path` without."""

    page: str
    card: str
    card_path: str
    said: str
    badges: tuple[BadgeLink, ...]


def share_links(evaluation: Evaluation, headline: Headline, *, on_board: bool) -> ShareLinks:
    """A badge of this result; of a source that stands on a board also one that follows its author's entry there."""
    page = f"{settings.SITE_URL}{reverse('submission', args=[evaluation.submission_id])}?evaluation={evaluation.pk}"
    board = f"{settings.SITE_URL}{reverse('board', args=[evaluation.op, evaluation.device])}"
    result = reverse("evaluation-badge", args=[evaluation.pk])
    badges = [_badge("result", "this result", result, headline.said, page)]
    if on_board:
        path = reverse("author-badge", args=[evaluation.op, evaluation.device, headline.author])
        said = f"rank of {headline.author} on {evaluation.op}, {headline.device_title}"
        badges.append(_badge("author", "the author's place on the board, as it is when somebody looks", path, said, board))
    card = reverse("card", args=[evaluation.pk])
    return ShareLinks(page, f"{settings.SITE_URL}{card}", card, headline.said, tuple(badges))


def _badge(name: str, title: str, path: str, said: str, target: str) -> BadgeLink:
    alt = said.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return BadgeLink(name, title, path, said, f"[![{alt}]({settings.SITE_URL}{path})]({target})")

"""Every page of the site, once. Tests visit this list, `make screenshots` takes its pictures, `make pages` measures it.

A new page is a line here; `tests/pages/test_every_page.py` compares the list with the addresses of `kbweb/urls.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

DOCS = sorted(path.stem for path in (Path(__file__).parent.parent / "docs").glob("*.md"))
Samples = Mapping[str, str]
"""What fills the placeholders of paths: `accepted`, `wrong`, `broken`, `edited`, `running` are ids of submissions, `held` that of an
evaluation to decide on, `pair` those of two with a comma between them, `webhook` that of one's own, `author` the name of somebody with
entries, `group` and `competition` slugs, `invitation` the key of a link, `run` the tag of a run of baselines."""


@dataclass(frozen=True, slots=True)
class Page:
    """`name` is that of its pictures, `pattern` the name of its address. `queries`: it may ask the database so often.

    `who` looks at it: a visitor, or somebody signed in, who is staff where that is needed. `editor`: it may ship an editor's JavaScript.
    `looked_at`: browser tests and screenshots visit it; others show the same as one that they visit.
    """

    name: str
    pattern: str
    path: str
    who: Literal["visitor", "author", "staff"] = "visitor"
    status: int = 200
    queries: int = 12
    editor: bool = False
    looked_at: bool = True

    def at(self, samples: Samples) -> str:
        return self.path.format(**samples)


PAGES = (
    Page("running", "submission", "/s/{running}/", queries=14),
    Page("home", "home", "/", queries=17),
    Page("ops", "ops", "/ops/", queries=10),
    Page("ops_search", "ops", "/ops/?q=soft&suite=smoke&tag=reduction", queries=10, looked_at=False),
    Page("ops_filtered", "ops", "/ops/?board=open&device=h100&kernel_type=triton&dtype=float32&page=9", queries=10, looked_at=False),
    Page("ops_nothing", "ops", "/ops/?q=nothing-like-it", queries=10),
    Page("op", "op", "/ops/softmax/", "author", queries=11),
    Page("op_h100", "op", "/ops/mm/?device=h100", queries=11),
    Page("board", "board", "/ops/softmax/cpu/", queries=14),
    Page("board_empty", "board", "/ops/mm/h100/", queries=14),
    Page("board_filtered", "board", "/ops/softmax/h100/?kernel_type=triton", queries=14, looked_at=False),
    Page("board_of_competition", "board", "/ops/softmax/cpu/?competition={competition}", "staff", queries=14),
    Page("competitions", "competitions", "/competitions/"),
    Page("competition", "competition", "/competitions/{competition}/", "staff", queries=14),
    Page("competition_new", "new-competition", "/competitions/new/?group={group}", "staff"),
    Page("competition_edit", "edit-competition", "/competitions/{competition}/edit/", "staff"),
    Page("groups", "groups", "/groups/", "author"),
    Page("group", "group", "/groups/{group}/", "staff"),
    Page("join", "join", "/join/{invitation}/", "author"),
    Page("compare", "compare", "/compare/?ids={pair}", queries=4),
    Page("compare_form", "compare", "/compare/", queries=2),
    Page("compare_wrong", "compare", "/compare/?ids=nothing,{pair}", status=400, queries=6),
    Page("feed", "feed", "/feed/", queries=6),
    Page("feed_filtered", "feed", "/feed/?op=softmax&verdict=accepted&by=bot", queries=6, looked_at=False),
    Page("author", "author", "/u/{author}/", queries=9),
    Page("results", "results", "/results/", queries=8),
    Page("results_agent", "results", "/results/?suite=core&device=h100&by=agent", queries=8, looked_at=False),
    Page("results_author", "results", "/results/?suite=smoke&device=cpu&author=alice", queries=8),
    Page("runs", "runs", "/runs/", queries=4),
    Page("run", "run", "/runs/{run}/", queries=6),
    Page("run_against", "run", "/runs/{run}/?against=earlier", queries=8, looked_at=False),
    Page("submit", "submit", "/submit/", editor=True),
    Page("submit_starter", "submit", "/submit/?op=softmax&starter=triton", "author", editor=True),
    Page("result_accepted", "submission", "/s/{accepted}/", "author", queries=18),
    Page("result_wrong", "submission", "/s/{wrong}/", queries=14),
    Page("result_broken", "submission", "/s/{broken}/", queries=14),
    Page("result_edited", "submission", "/s/{edited}/", queries=18),
    Page("submit_again", "submit", "/submit/?from={accepted}", "author", editor=True, looked_at=False),
    Page("me", "me", "/me/", "author", queries=13),
    Page("tokens", "tokens", "/me/tokens/", "author", queries=5),
    Page("webhooks", "webhooks", "/me/webhooks/", "author", queries=5),
    Page("webhook", "webhook", "/me/webhooks/{webhook}/", "author", queries=6),
    Page("account", "account", "/me/account/", "author", queries=6),
    Page("account_delete", "delete-account", "/me/account/delete/", "author"),
    Page("moderation", "moderation", "/moderation/", "staff", queries=7),
    Page("moderate", "moderate", "/moderation/{held}/", "staff"),
    Page("moderate_similar", "moderate", "/moderation/{held}/?with={accepted}", "staff"),
    Page("status", "status", "/status/", queries=6),
    Page("docs", "docs", "/docs/", queries=2),
    Page("rules", "rules", "/rules/", queries=2),
    *(Page(f"doc_{name}", "doc", f"/docs/{name}/", queries=2) for name in DOCS if name != "rules"),
    Page("api", "api-docs", "/api/docs/", queries=2),
    Page("styleguide", "styleguide", "/styleguide/", "staff", queries=60),
    Page("sign_in", "account_login", "/accounts/login/", queries=2),
    Page("sign_up", "account_signup", "/accounts/signup/", queries=2),
    Page("sign_out", "account_logout", "/accounts/logout/", "author", queries=3),
    Page("inactive", "account_inactive", "/accounts/inactive/", queries=2),
    Page("email", "account_email", "/accounts/email/", "author", queries=6),
    Page("email_key", "account_confirm_email", "/accounts/confirm-email/not-a-key/", queries=4),
    Page("email_sent", "account_email_verification_sent", "/accounts/confirm-email/", queries=2),
    Page("reauthenticate", "account_reauthenticate", "/accounts/reauthenticate/", "author", queries=4),
    Page("password", "account_change_password", "/accounts/password/change/", "author", queries=3),
    Page("reset", "account_reset_password", "/accounts/password/reset/", queries=2),
    Page("reset_sent", "account_reset_password_done", "/accounts/password/reset/done/", queries=2),
    Page("reset_key", "account_reset_password_from_key", "/accounts/password/reset/key/1-not-a-key/", queries=4),
    Page("reset_done", "account_reset_password_from_key_done", "/accounts/password/reset/key/done/", queries=2),
    Page("social_cancelled", "socialaccount_login_cancelled", "/accounts/3rdparty/login/cancelled/", queries=2),
    Page("social_error", "socialaccount_login_error", "/accounts/3rdparty/login/error/", status=401, queries=2),
    Page("social", "socialaccount_connections", "/accounts/3rdparty/", "author", queries=6),
    Page("link_used", "one-time-sign-in", "/signin/not-a-key/", status=410, queries=6),
    Page("missing", "", "/nothing/", status=404, queries=4),
    Page("missing_op", "", "/ops/sofmax/", status=404, queries=8),
    Page("missing_submission", "", "/s/nothing/", status=404, queries=8),
)

NOT_PAGES = {
    "starter": "a file",
    "source": "a file",
    "artefact": "a file",
    "board-feed": "an Atom feed",
    "records-feed": "an Atom feed",
    "card": "a picture",
    "evaluation-badge": "a picture",
    "author-badge": "a picture",
    "doc-source": "a text file",
    "llms": "a text file",
    "profile": "takes a form",
    "cancel": "takes a form",
    "rerun": "takes a form",
    "revoke-token": "takes a form",
    "test-webhook": "takes a form",
    "switch-webhook": "takes a form",
    "renew-webhook-secret": "takes a form, and answers with the page `webhook`",
    "delete-webhook": "takes a form",
    "send-again": "takes a form",
    "export-account": "takes a form, and answers with a file",
    "withdraw-decision": "takes a form",
    "change-group": "takes a form",
    "make-link": "takes a form",
    "revoke-link": "takes a form",
    "remove-member": "takes a form",
    "make-owner": "takes a form",
    "leave-group": "takes a form",
    "account_set_password": "leads to `account_change_password` for accounts that have a password",
    "account_confirm_login_code": "leads to `account_login` unless a code was sent",
    "socialaccount_signup": "leads to `account_signup` unless GitHub has just sent somebody",
    "github_login": "leads to GitHub",
    "github_callback": "GitHub leads to it",
    "schema": "the OpenAPI document",
    "healthz": "JSON",
    "readyz": "JSON",
    "metrics": "text for Prometheus",
}
"""Addresses outside of `/api/v1/` that are no pages, by name, and what they are."""

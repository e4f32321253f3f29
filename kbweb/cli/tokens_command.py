"""`kb tokens`: API tokens, and a sign-in link for this machine's administrator."""

from __future__ import annotations

import contextlib
import json
import os

import typer
from rich.table import Table

from kbweb.cli.output import AsJson, Failure, console, print_json
from kbweb.cli.up_command import data_dir

tokens = typer.Typer(no_args_is_help=True, help="API tokens: create, list, revoke; sign-in: a new one-time link.")


def register(app: typer.Typer) -> None:
    app.add_typer(tokens, name="tokens")


@tokens.command()
def create(
    name: str = typer.Argument(help="What it is for."),
    read_only: bool = typer.Option(False, "--read-only", help="May read, not hand in."),
    manage: bool = typer.Option(False, "--manage", help="May make and end tokens and webhooks, and join groups, too."),
    agent: str = typer.Option("", help="Agent label of what is handed in with it."),
    days: int = typer.Option(90, min=1, max=366, help="How long it works."),
    as_json: AsJson = False,
) -> None:
    """Make a token. It is shown once."""
    from kbweb.cli.client import Client

    scopes = ["read", *([] if read_only else ["submit"]), *(["manage"] if manage else [])]
    made = Client().send("POST", "tokens", {"name": name, "scopes": scopes, "agent": agent, "expires_in_days": days})
    print_json(made) if as_json else console.print(str(made.get("token")), markup=False)


@tokens.command(name="list")
def list_tokens(as_json: AsJson = False) -> None:
    """Show your tokens (never their secret)."""
    from kbweb.cli.client import Client

    rows = Client().items("tokens")
    if as_json:
        print_json(rows)
        return
    table = Table("id", "name", "scopes", "made", "expires", "last used", box=None, pad_edge=False)
    for row in rows:
        scopes = row.get("scopes")
        shown = ", ".join(map(str, scopes)) if isinstance(scopes, list) else ""
        dates = (str(row.get("created", "")), str(row.get("expiry") or "never"), str(row.get("last_used_at") or "never"))
        table.add_row(str(row.get("id")), str(row.get("name")), shown, *(date[:10] for date in dates))
    console.print(table)


@tokens.command()
def revoke(token_id: str = typer.Argument(metavar="ID"), as_json: AsJson = False) -> None:
    """End a token."""
    from kbweb.cli.client import Client

    Client().send("DELETE", f"tokens/{token_id}")
    print_json({"revoked": token_id}) if as_json else console.print(f"revoked {token_id}", markup=False)


@tokens.command(name="sign-in")
def sign_in(as_json: AsJson = False) -> None:
    """Print a new one-time sign-in link for the administrator. Only where the data directory (or DATABASE_URL) is at hand."""
    os.environ.setdefault("KB_DATA_DIR", str(data_dir()))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
    with contextlib.suppress(OSError, ValueError, KeyError):  # the address that kb up announced, whatever its port
        os.environ.setdefault("KB_SITE_URL", str(json.loads((data_dir() / "local.json").read_text())["url"]))
    import django
    from django.db import DatabaseError

    django.setup()
    from django.contrib.auth.models import User

    from kbweb.signin import issue

    try:
        admin = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    except DatabaseError as error:
        raise Failure(f"The database cannot be reached: {str(error).strip()}. Is it running (kb up)?", exit_code=3) from None
    if admin is None:
        raise Failure("There is no administrator yet: start the site once with kb up.", exit_code=3)
    link = issue(admin)
    print_json({"sign_in": link}) if as_json else console.print(link, markup=False)

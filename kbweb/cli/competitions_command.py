"""`kb competitions`: what is open and coming, one of them with its standings, and joining by an invitation."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import typer
from rich.table import Table

from kbweb.cli.answers import objects, part, ratio
from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, console, print_json

competitions = typer.Typer(no_args_is_help=True, help="Competitions: list, show the standings of one, join by an invitation.")


def register(app: typer.Typer) -> None:
    app.add_typer(competitions, name="competitions")


@competitions.command(name="list")
def list_competitions(
    phase: str = typer.Option("", "--phase", help="open, coming or closed. Left out: all."), as_json: AsJson = False
) -> None:
    """List the competitions that you may see."""
    from kbweb.cli.client import Client

    rows = Client().items(f"competitions?{urlencode({'phase': phase})}" if phase else "competitions")
    if as_json:
        print_json(rows)
        return
    table = Table("competition", "title", "phase", "opens (UTC)", "closes (UTC)", "ops", "devices", box=None, pad_edge=False)
    for row in rows:
        table.add_row(
            str(row.get("slug")),
            plain(row.get("title")),
            str(row.get("phase")),
            _moment(row.get("opens_at")),
            _moment(row.get("closes_at")),
            plain(_named(row.get("ops"))),
            plain(_named(row.get("devices"))),
        )
    console.print(table if rows else "There is no such competition that you may see.")


@competitions.command()
def show(slug: str = typer.Argument(metavar="COMPETITION"), as_json: AsJson = False) -> None:
    """Show the standings over all boards of COMPETITION, and who leads each."""
    from kbweb.cli.client import Client

    found = Client().get(f"competitions/{quote(slug, safe='')}")
    if as_json:
        print_json(found)
        return
    console.print(f"{plain(found.get('title'))}: {found.get('phase')}, closes {_moment(found.get('closes_at'))} UTC")
    standings = Table("rank", "author", "score", "boards", "led", box=None, pad_edge=False)
    boards = objects(found, "boards")
    for row in objects(found, "standings"):
        score = f"{row.get('score'):.3f}× ({row.get('score_low'):.3f} to {row.get('score_high'):.3f})"
        standings.add_row(
            str(row.get("rank")), plain(row.get("author")), score, f"{row.get('boards')} / {len(boards)}", str(row.get("led"))
        )
    console.print(standings if standings.row_count else "Nobody has an entry yet.")
    table = Table("board", "leader", "speedup", "entries", box=None, pad_edge=False)
    for board in boards:
        best = part(board, "leader")
        said = ratio(best.get("speedup"))
        table.add_row(f"{board.get('op')}/{board.get('device')}", plain(best.get("author", "–")), said, str(board.get("entries")))
    console.print(table)


@competitions.command()
def join(
    invitation: str = typer.Argument(help="The link that you were sent, or what follows /join/ in it."), as_json: AsJson = False
) -> None:
    """Join a group, and so its competitions, by an INVITATION."""
    from kbweb.cli.client import Client

    key = invitation.rstrip("/").rpartition("/")[2]
    made = Client().send("POST", f"invitations/{quote(key, safe='')}/accept")
    print_json(made) if as_json else console.print(f"You are in: {made.get('url')}", markup=False)


def _moment(value: object) -> str:
    return str(value or "–")[:16].replace("T", " ")


def _named(value: object) -> str:
    """A list in a few words."""
    names = [str(each) for each in value] if isinstance(value, list) else []
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")

"""An evaluation's events as lines on a terminal."""

from __future__ import annotations

import re
import time

import httpx
from rich.markup import escape

from kbweb.cli.answers import Json, objects, part, ratio
from kbweb.cli.client import Client
from kbweb.cli.output import Failure, console

LONGEST_PAUSE_S = 5.0
GIVE_UP_S = 120.0
HOUSE = ("confirming", "house")
"""Purposes of evaluations that the site handed in by itself: nobody waits for them."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def follow(client: Client, evaluation: str, *, quiet: bool = False) -> Json:
    """Print every event until the evaluation is done, over dropped connections and server restarts; return its final JSON.

    Events that came while nothing was connected are printed too, also when the evaluation ended meanwhile.
    """
    last, pause_s, silent_since = 0, 0.2, time.monotonic()
    while True:
        try:
            current = client.get(f"evaluations/{evaluation}")
            done = current.get("state") == "done"
            for event in client.past_events(evaluation, last) if done else client.events(evaluation, last):
                seq = event.get("seq")
                if not isinstance(seq, int) or seq <= last:
                    continue
                last, pause_s = seq, 0.2
                if not quiet:
                    show(event)
                if event.get("kind") == "verdict":
                    break
            if not done:
                current = client.get(f"evaluations/{evaluation}")
            silent_since = time.monotonic()
            if current.get("state") == "done":
                if not quiet:
                    show_end(client, current)
                return current
        except (httpx.HTTPError, Failure) as error:
            if isinstance(error, Failure) and error.exit_code == 2:
                raise
            if time.monotonic() - silent_since > GIVE_UP_S:
                raise Failure(f"{client.url} has not answered for {GIVE_UP_S:.0f} s.", exit_code=3) from error
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)


def own_evaluations(submission: Json) -> list[str]:
    """Ids of what its author asked for: one that was handed in before has the site's own runs, too."""
    return [str(one["id"]) for one in objects(submission, "evaluations") if one.get("purpose") not in HOUSE]


def show(event: Json) -> None:
    data = part(event, "data")
    match event.get("kind"):
        case "state":
            console.print(
                f"[bold]{plain(data.get('state'))}[/bold]" + (f"  [dim]{plain(data['worker'])}[/dim]" if data.get("worker") else "")
            )
        case "case":
            mark = "[green]✓[/green]" if data.get("passed") else "[red]✗[/red]"
            console.print(f"  {mark} {plain(data.get('name'))}  [dim]{plain(data.get('inputs'))}[/dim] {plain(data.get('reason'))}")
        case "timing":
            speedup, low, high = (ratio(data.get(name), "?") for name in ("speedup", "low", "high"))
            console.print(f"  ⏱ {plain(data.get('case'))}  {speedup} ({low} to {high})")
        case "log" | "note":
            console.print(f"  [dim]{plain(data.get('text')).rstrip()}[/dim]")


def show_end(client: Client, evaluation: Json) -> None:
    verdict = str(evaluation.get("verdict"))
    colour = "green" if verdict == "accepted" else "red"
    score = evaluation.get("performance_score") or evaluation.get("speedup")
    console.print(f"[bold {colour}]{verdict}[/bold {colour}]" + (f"  {ratio(score)} of torch_eager" if isinstance(score, float) else ""))
    for reason in objects(evaluation, "reasons"):
        console.print(f"  {plain(reason.get('message'))}")
        for more in (reason.get("detail"), reason.get("hint")):
            if more:
                console.print(f"  [dim]{plain(more)}[/dim]")
    if url := evaluation.get("url"):
        console.print(f"  {url if str(url).startswith('http') else client.url + str(url)}")


def verdict_code(evaluations: list[Json]) -> int:
    """0: all accepted; 3: one ended by a fault of ours; 1: judged and not accepted."""
    verdicts = {str(one.get("verdict")) for one in evaluations}
    if "infra_error" in verdicts:
        return 3
    return 0 if verdicts == {"accepted"} else 1


def plain(value: object) -> str:
    """Text of others for a terminal: no markup, no control or direction characters."""
    return escape(CONTROL.sub("\N{REPLACEMENT CHARACTER}", "" if value is None else str(value)))

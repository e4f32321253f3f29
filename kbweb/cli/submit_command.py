"""`kb submit FILE --op SLUG`: hand in a kernel."""

from __future__ import annotations

from pathlib import Path

import typer

from kbweb.cli.answers import objects
from kbweb.cli.output import AsJson, Failure, console, print_json


def register(app: typer.Typer) -> None:
    @app.command()
    def submit(
        file: Path = typer.Argument(help="The kernel's source."),
        op: str = typer.Option(..., "--op", help="Slug of the op: softmax, layer_norm, …"),
        device: list[str] = typer.Option([], "--device", help="Where to judge it; may be repeated. Default: what the site has."),
        kernel_type: str | None = typer.Option(None, "--type", help="torch, triton, …; found from the source when left out."),
        mode: str = typer.Option("ranked", "--mode", help="test, benchmark, ranked or profile."),
        policy: str | None = typer.Option(None, "--policy", help="How far an output may be off: scaled, backendbench."),
        timer: str | None = typer.Option(None, "--timer", help="abba; do_bench or cpu_bench time as other tools do, and are not ranked."),
        visibility: str = typer.Option("public", "--visibility", help="public, result or private."),
        competition: str = typer.Option("", "--competition", help="Slug of a competition (kb competitions list); it sets the visibility."),
        agent: str = typer.Option("", "--agent", help="The program or model that wrote it."),
        parent: str = typer.Option(
            "", "--parent", metavar="ID", help="The earlier submission that FILE was made from; the page shows what changed."
        ),
        key: str | None = typer.Option(None, "--idempotency-key", help="The same key twice hands in once."),
        watch: bool = typer.Option(False, "--watch", help="Follow until the verdict."),
        feedback: bool = typer.Option(False, "--feedback", help="Wait, then print Markdown for a language model, and nothing else."),
        as_json: AsJson = False,
    ) -> None:
        """Hand in FILE. With --watch or --feedback exit 0 when accepted and 1 when not."""
        from kbweb.cli.client import Client
        from kbweb.cli.follow import follow, own_evaluations, verdict_code

        try:
            source = file.read_bytes().decode()
        except OSError as error:
            raise Failure(f"{file} cannot be read: {error.strerror}.", exit_code=2) from None
        except UnicodeDecodeError:
            raise Failure(f"{file} is not UTF-8 text.", exit_code=2) from None
        client = Client()
        body: dict[str, object] = {"op": op, "source": source, "filename": file.name, "mode": mode, "visibility": visibility}
        body["device"] = device or default_devices(client)
        wishes = {"kernel_type": kernel_type, "policy": policy, "timer": timer, "agent": agent, "competition": competition}
        wishes |= {"parent": parent, "idempotency_key": key}
        body |= {name: value for name, value in wishes.items() if value}
        submission = client.send("POST", "submissions", body)
        if not watch and not feedback:
            if as_json:
                print_json(submission)
            else:
                url = str(submission.get("url", ""))
                console.print(f"{submission.get('id')}  {url if url.startswith('http') else client.url + url}")
                console.print(f"  follow it: kb watch {submission.get('id')}")
            return
        ids = own_evaluations(submission)
        ends = [follow(client, one, quiet=as_json or feedback) for one in ids]
        texts = {one: client.text(f"evaluations/{one}/feedback") for one in ids} if feedback else {}
        if as_json:
            print_json({**submission, "evaluations": ends} | ({"feedback": texts} if feedback else {}))
        elif feedback:
            typer.echo("\n".join(texts.values()), nl=False)
        raise typer.Exit(verdict_code(ends))


def default_devices(client: object) -> list[str]:
    """The one device that the site has workers for; asks for a choice when there are several, or none is known."""
    from kbweb.cli.client import Client

    assert isinstance(client, Client)
    at_work = [worker for worker in objects(client.get("status"), "workers") if worker.get("alive") and worker.get("in_service")]
    devices = sorted({str(worker["device"]) for worker in at_work if worker.get("device")})
    if len(devices) == 1:
        return devices
    raise Failure(f"Say where to judge it with --device ({', '.join(devices) or 'the site names its devices: kb board'}).", exit_code=2)

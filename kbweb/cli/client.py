"""The REST API as the commands use it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx

from kbweb.cli.answers import Json, objects
from kbweb.cli.output import Failure
from kbweb.cli.up_command import data_dir
from kbweb.env import env_str


class Client:
    """One site and one token: `KB_URL` and `KB_TOKEN`, else what `kb up` wrote into its data directory."""

    def __init__(self) -> None:
        url, token = env_str("KB_URL"), env_str("KB_TOKEN")
        local = data_dir() / "local.json"
        if not url:
            try:
                stored = json.loads(local.read_text())
                url, token = str(stored["url"]), token or str(stored["token"])
            except (OSError, ValueError, KeyError) as error:
                raise Failure(
                    f"No site is known: start one here (kb up), or set KB_URL and KB_TOKEN. ({local}: {error})", exit_code=2
                ) from None
        self.url = url.rstrip("/")
        headers = {"Accept": "application/json", "User-Agent": "kb"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._http = httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=httpx.Timeout(60.0, connect=10.0))

    def get(self, path: str, **parameters: str | int) -> Json:
        answer = self._request("GET", path, params=parameters)
        return answer if isinstance(answer, dict) else {"results": answer}

    def text(self, path: str) -> str:
        """An answer that is not JSON, as it stands."""
        return self._answer("GET", path).text

    def items(self, path: str) -> list[Json]:
        """All rows of a list, whether it comes whole or in pages."""
        rows: list[Json] = []
        answer = self._request("GET", path)
        while isinstance(answer, dict):
            rows.extend(objects(answer, "results"))
            following = answer.get("next")
            if not isinstance(following, str):
                return rows
            answer = self._request("GET", following)
        return answer if isinstance(answer, list) else rows

    def send(self, method: str, path: str, body: Json | None = None) -> Json:
        answer = self._request(method, path, json=body) if body is not None else self._request(method, path)
        return answer if isinstance(answer, dict) else {}

    def events(self, evaluation: str, after: int) -> Iterator[Json]:
        """Events as they come, by server-sent events; ends when the server ends the stream."""
        path = f"evaluations/{evaluation}/events"
        with self._http.stream("GET", path, params={"after": after}, headers={"Accept": "text/event-stream"}) as response:
            if response.status_code >= 400:
                response.read()
                raise _failure(response)
            data: list[str] = []
            for line in response.iter_lines():
                if line.startswith("data:"):
                    data.append(line[5:].strip())
                elif not line and data:
                    yield json.loads("\n".join(data))
                    data = []

    def past_events(self, evaluation: str, after: int) -> Iterator[Json]:
        """Events that have happened since number `after`; waits for none."""
        while True:
            page = self.get(f"evaluations/{evaluation}/events", after=after)
            events, newest = page.get("events"), page.get("last_seq")
            if not isinstance(events, list) or not events or not isinstance(newest, int):
                return
            yield from events
            after = newest

    def _request(self, method: str, path: str, **options: object) -> Json | list[Json]:
        response = self._answer(method, path, **options)
        if response.status_code == 204 or not response.content:
            return {}
        try:
            answer: Json | list[Json] = response.json()
        except ValueError as error:
            raise Failure(f"{response.url} answered with something that is not JSON.", exit_code=3) from error
        return answer

    def _answer(self, method: str, path: str, **options: object) -> httpx.Response:
        try:
            response = self._http.request(method, path, **options)  # type: ignore[arg-type]
        except httpx.HTTPError as error:
            raise Failure(f"{self.url} does not answer: {error}. Is it running (kb up)?", exit_code=3) from error
        if response.status_code >= 400:
            raise _failure(response)
        return response


def _failure(response: httpx.Response) -> Failure:
    """The server's problem document as a message: its sentence, then each wrong field."""
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    lines = [str(problem.get("detail") or f"{response.status_code} {response.reason_phrase}")]
    errors = problem.get("errors")
    if isinstance(errors, dict):
        lines += [f"  {field}: {' '.join(map(str, messages))}" for field, messages in errors.items()]
    return Failure("\n".join(lines), exit_code=3 if response.status_code >= 500 else 2, problem=problem or None)

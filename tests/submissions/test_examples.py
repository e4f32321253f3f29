"""The first start hands in the bundled examples, and they end as their index says."""

from __future__ import annotations

import json

import pytest

from tests.live_site import ROOT, LiveSite

pytestmark = pytest.mark.slow


def test_the_examples_are_judged_as_their_index_says(site: LiveSite) -> None:
    index = {entry["file"]: entry["verdict"] for entry in json.loads((ROOT / "examples" / "index.json").read_text())}

    with site.client() as client:
        rows = client.get("submissions", params={"author__username": "examples"}).json()["results"]
        found = {row["filename"]: client.get(f"submissions/{row['id']}", params={"wait": 60}).json()["evaluations"] for row in rows}

    assert {name: [run["verdict"] for run in runs] for name, runs in found.items()} == {name: [wanted] for name, wanted in index.items()}

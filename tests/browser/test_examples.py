"""The first start hands in the bundled examples, and they end as their index says. Asked of the site that the browser tests share."""

from __future__ import annotations

import json

import pytest

from tests.live_site import ROOT, LiveSite

pytestmark = pytest.mark.slow


def test_the_examples_are_judged_as_their_index_says(site: LiveSite) -> None:
    index = {entry["file"]: entry["verdict"] for entry in json.loads((ROOT / "examples" / "index.json").read_text())}

    found: dict[str, str] = {}

    def judged() -> bool:
        rows = client.get("submissions", params={"author": "examples"}).json()["results"]
        for row in rows:
            found[row["filename"]] = client.get(f"submissions/{row['id']}", params={"wait": 20}).json()["evaluations"][0]["verdict"]
        return all(found.values())

    with site.client() as client:
        site.until(judged, "the examples are judged", within_s=300)

    assert found == index

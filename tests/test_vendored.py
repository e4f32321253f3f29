"""Files of others that are committed: each is listed with its source and licence, and is what the list says, byte for byte."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
VENDOR = ROOT / "static" / "vendor"
LIST = VENDOR / "vendored.json"
ENTRIES = json.loads(LIST.read_text())


def test_every_vendored_file_is_listed() -> None:
    listed = {entry["file"] for entry in ENTRIES} | {entry["licence_file"] for entry in ENTRIES}

    assert {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()} - {LIST.name} == listed


def test_each_is_what_the_list_says() -> None:
    for entry in ENTRIES:
        content = (VENDOR / entry["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"], f"{entry['file']} is not the file that was listed"
        assert all(entry[known] for known in ("name", "version", "source", "licence"))
        assert (VENDOR / entry["licence_file"]).read_text().strip()


def test_the_editor_is_the_one_that_its_lock_file_builds() -> None:
    locked = json.loads((ROOT / "editor" / "package-lock.json").read_text())["packages"]
    (entry,) = (entry for entry in ENTRIES if entry["file"] == "codemirror.js")
    licences = (VENDOR / entry["licence_file"]).read_text()

    assert len(entry["packages"]) > 10
    for package in entry["packages"]:
        lock = locked[f"node_modules/{package['name']}"]
        assert (lock["version"], lock["integrity"], lock["license"]) == (package["version"], package["integrity"], package["licence"])
        assert f"{package['name']} {package['version']}\n" in licences


def test_the_editor_is_one_file_that_a_strict_policy_allows() -> None:
    bundle = (VENDOR / "codemirror.js").read_text()

    assert not re.findall(r"\beval\(|new Function|\bimport\s*[({\"']|from\s*[\"']https?:|sourceMappingURL", bundle)


def test_its_size_is_told_as_it_is() -> None:
    (entry,) = (entry for entry in ENTRIES if entry["file"] == "codemirror.js")
    packed = len(gzip.compress((VENDOR / "codemirror.js").read_bytes(), 9))

    assert abs(packed - entry["gzip_bytes"]) < 0.02 * packed  # builds of zlib differ a little
    assert f"{round(entry['gzip_bytes'] / 1000)} kB" in (ROOT / "docs" / "decisions.md").read_text()
